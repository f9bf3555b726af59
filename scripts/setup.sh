# Sourced by the other scripts: installs missing packages, configures and builds in build/<preset>. Messages go to standard
# error; standard output belongs to the program that runs next.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export DEBIAN_FRONTEND=noninteractive
developer=""  # -dev: by the presets in which warnings are errors

say() { echo "crosswarp: $*" >&2; }

# step <what> <command…>: prints one line, and the whole log on failure.
step() {
  say "$1"
  mkdir -p "$root/build"
  local log=$root/build/setup.log
  : >"$log" || exit 2  # somebody else's folder: bash says so
  if ! "${@:2}" >"$log" 2>&1; then
    cat "$log" >&2
    say "failed: $1"
    exit 2
  fi
}

# The same for tools that tests can do without: a failure is told, and the tests that need them are skipped.
optional_step() { (step "$@") || say "$1 failed: tests that need it are skipped"; }

# Sets preset (cuda with an nvcc that knows C++20, else host), nvcc, and gpu (compute capability, or empty).
choose_preset() {
  preset=host gpu=""
  nvcc=${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
  if [[ $("$nvcc" --version 2>/dev/null) =~ release\ ([0-9]+) ]]; then
    if ((BASH_REMATCH[1] >= 12)); then
      preset=cuda
      gpu=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u) || gpu=""
    else
      say "$nvcc is older than CUDA 12.0, which has no C++20: building for the host alone"
    fi
  fi
  build=$root/build/$preset
}

has_kokkos() {
  local prefix
  if [[ -n ${Kokkos_ROOT:-} ]]; then return; fi
  for prefix in /usr/local "$root"/.deps/kokkos-*; do
    compgen -G "$prefix/lib*/cmake/Kokkos" >/dev/null && return
  done
  return 1
}

# Whether the distribution has the package. A new machine has no lists yet.
distribution_has() {
  command -v apt-get >/dev/null || return
  if ((EUID == 0)) && ! compgen -G "/var/lib/apt/lists/*_Packages*" >/dev/null; then
    step "fetching the lists of packages" apt-get update
  fi
  [[ -n $(apt-cache show "$1" 2>/dev/null) ]]
}

# missing_packages [CMake option…]: packages of Debian and Ubuntu to install. Tools are found on PATH, libraries as installed
# packages, both without network.
missing_packages() {
  local tool package libraries optional=() installed
  for tool in g++:g++ cmake:cmake ninja:ninja-build git:git ccache:ccache python3:python3; do
    command -v "${tool%:*}" >/dev/null || echo "${tool#*:}"
  done
  libraries=(libfmt-dev nlohmann-json3-dev libcli11-dev libboost-dev libboost-context-dev libgtest-dev libbenchmark-dev liblzma-dev)
  if [[ " $* " != *" -DCROSSWARP_KOKKOS=OFF "* ]] && ! has_kokkos; then
    libraries+=(libtrilinos-kokkos-dev)
    optional+=(libtrilinos-kokkos-kernels-dev)
  fi
  # A user who is not root does without: ranks are then of one process.
  if ((EUID == 0)) && [[ " $* " != *" -DCROSSWARP_MPI=OFF "* ]]; then optional+=(libopenmpi-dev openmpi-bin); fi
  if [[ $preset == hip ]] && ! command -v hipcc >/dev/null; then
    libraries+=(hipcc libamdhip64-dev)
    optional+=(libhipcub-dev)
  fi
  # shellcheck disable=SC2016  # dpkg-query's own variables
  installed=$(dpkg-query --show --showformat='${Package}=${db:Status-Status}\n' "${libraries[@]}" "${optional[@]}" \
    2>/dev/null) || true
  for package in "${libraries[@]}" "${optional[@]}"; do
    if grep -qx "$package=installed" <<<"$installed"; then continue; fi
    if [[ " ${optional[*]} " == *" $package "* ]] && ! distribution_has "$package"; then continue; fi
    echo "$package"
  done
}

# Waits for apt's lock, since a new machine may still be updating itself. A failed update may not matter.
# shellcheck disable=SC2317  # called through step
apt_install() {
  apt-get update || true
  apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

# install_missing [CMake option…]
install_missing() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return; fi
  if ((EUID != 0)); then
    say "packages are missing; install them with"
    echo "sudo apt-get install -y ${missing[*]}" >&2
    exit 2
  fi
  step "installing ${missing[*]}" apt_install "${missing[@]}"
  local record
  for record in "$root"/build/*/options; do
    if [[ -f $record ]]; then : >"$record"; fi  # so that CMake looks for them
  done
}

# configure [CMake option…]: configures if the folder is new or its options changed. A folder configured by hand stays as it
# is; one with warnings as errors also serves callers that do not ask for them.
configure() {
  local options=("$@") record=$build/options wanted
  if [[ -w ${CCACHE_DIR:-${HOME:-/}} ]] && command -v ccache >/dev/null; then
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    if [[ $preset == cuda ]]; then options+=(-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache); fi
    if [[ $preset == hip ]]; then options+=(-DCMAKE_HIP_COMPILER_LAUNCHER=ccache); fi
  fi
  if [[ -n $gpu && -z ${Kokkos_ROOT:-} ]]; then options+=(-DCROSSWARP_FETCH_KOKKOS=ON); fi
  wanted="${options[*]} ${Kokkos_ROOT:-} ${CXX:-} $nvcc $gpu"
  if [[ -f $build/build.ninja ]] &&
    ! [[ -f $record && $(<"$record") != "$preset$developer $wanted" && $(<"$record") != "$preset-dev $wanted" ]]; then
    return
  fi
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here. Needed: a C++20 compiler, CMake 3.22, Ninja, fmt, nlohmann-json, CLI11, Boost's headers, GoogleTest," \
      "Google Benchmark, liblzma; useful: Kokkos, git, ccache"
  fi
  rm -rf "$build/build.ninja" "$build/CMakeCache.txt" "$build/CMakeFiles"
  step "configuring ${build#"$root/"}" cmake -S "$root" --preset "$preset$developer" -B "$build" "${options[@]}"
  sed -n 's/^-- crosswarp: /crosswarp: /p' "$root/build/setup.log" >&2
  echo "$preset$developer $wanted" >"$record"
}

# The newest supported clang-tidy for which the given test holds: a command on PATH, or a package of the distribution.
clang_tidy_that() {
  local version
  for version in 19 18 17 16; do
    if "$@" "clang-tidy-$version" >/dev/null 2>&1; then
      echo "clang-tidy-$version"
      return
    fi
  done
  return 1
}

# Tools of scripts/test that the build does not need: the browser, its driver, selenium and plotly for scripts/check-report,
# clang-tidy for scripts/check-tidy. Installed as root from a distribution that has them; otherwise those checks are skipped.
install_test_tools() {
  local package missing=()
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then return; fi
  for package in chromium chromium-driver python3-selenium python3-plotly; do
    if ! dpkg-query --show "$package" >/dev/null 2>&1 && distribution_has "$package"; then missing+=("$package"); fi
  done
  if ! clang_tidy_that command -v >/dev/null && package=$(clang_tidy_that distribution_has); then missing+=("$package"); fi
  if ((${#missing[@]} > 0)); then optional_step "installing ${missing[*]}" apt_install "${missing[@]}"; fi
}

# Puts NVIDIA's disassembler on PATH, for the test of machine instructions: the toolkit's own, else the one on PyPI.
install_disassembler() {
  local folder=$root/.deps/disassembler
  PATH=$PATH:$(dirname "$nvcc"):$folder/nvidia/cu13/bin
  if command -v cuobjdump >/dev/null && command -v nvdisasm >/dev/null; then return; fi
  if ! python3 -m pip --version >/dev/null 2>&1 && ((EUID == 0)); then
    optional_step "installing python3-pip" apt_install python3-pip
  fi
  optional_step "installing cuobjdump and nvdisasm in ${folder#"$root/"}" \
    python3 -m pip install --no-deps --target "$folder" "nvidia-cuda-cuobjdump==13.*" "nvidia-cuda-nvdisasm==13.*"
}

# Builds the target in `build`, by `preset`: build_target <target> [CMake option…]
build_target() {
  if command -v apt-get >/dev/null; then install_missing "${@:2}"; fi
  configure "${@:2}"
  step "building $1 in ${build#"$root/"}" cmake --build "$build" --target "$1"
}

# setup <target>
setup() {
  choose_preset
  build_target "$1"
}
