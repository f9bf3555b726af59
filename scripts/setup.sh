# Sourced by the other scripts: installs missing packages, configures and builds in build/<preset>. Messages go to standard
# error; standard output belongs to the program that runs next.
#
# A folder begins with the backends that this machine can time; later requests add theirs to it, and nothing is compiled twice.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export DEBIAN_FRONTEND=noninteractive
backends=""  # to build, of those that CMake can leave out: cuda, hip, simt
werror=""    # werror: in a folder that is new, warnings are errors

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

# A Kokkos built for CUDA, where Kokkos_ROOT points or in /usr/local.
kokkos_has_cuda() { grep -qs 'DEVICES.*CUDA' "${Kokkos_ROOT:-/usr/local}"/lib*/cmake/Kokkos/KokkosConfigCommon.cmake; }

# Sets preset (cuda with an nvcc that knows C++20, else host), nvcc, gpu (compute capability, or empty) and backends: cuda
# where there is a GPU, or a Kokkos that needs it.
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
  if [[ $preset == cuda ]] && { [[ -n $gpu ]] || kokkos_has_cuda; }; then backends=cuda; fi
  build=$root/build/$preset
}

# add_backends <name>…: adds those among the names that CMake can leave out. Of others, the program says what it has.
add_backends() {
  local name
  for name in "${@/#simt64/simt}"; do
    if [[ $name == cuda && $preset == host ]]; then
      say "no backend cuda: it needs nvcc of CUDA 12 or later, on PATH or in /usr/local/cuda/bin"
    elif [[ " cuda hip simt " == *" $name "* && " $backends " != *" $name "* ]]; then
      backends+=" $name"
    fi
  done
}

has_kokkos() { [[ -n ${Kokkos_ROOT:-} ]] || compgen -G "/usr/local/lib*/cmake/Kokkos" >/dev/null; }

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
    optional+=(libtrilinos-kokkos-kernels-dev liblapack-dev)  # its CMake package names liblapack.so
  fi
  # A user who is not root does without: ranks are then of one process.
  if ((EUID == 0)) && [[ " $* " != *" -DCROSSWARP_MPI=OFF "* ]]; then optional+=(libopenmpi-dev openmpi-bin); fi
  if [[ $preset == hip ]] && ! command -v hipcc >/dev/null; then
    libraries+=(hipcc libamdhip64-dev)
    optional+=(libhipcub-dev)
  elif [[ " $backends " == *" hip "* && ! -d /opt/rocm/include/hip ]]; then
    libraries+=(libamdhip64-dev)
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
    rm -f "${record%options}build.ninja"  # so that CMake looks for them
  done
}

# configure [CMake option…]: configures if the folder is new, if its options changed, or to add backends to those that it has.
# A folder configured by hand stays as it is, and so do the warnings of one that exists.
configure() {
  local options=("$@") record=$build/options recorded=() wanted parts part value
  if [[ -w ${CCACHE_DIR:-${HOME:-/}} ]] && command -v ccache >/dev/null; then
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    if [[ $preset == cuda ]]; then options+=(-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache); fi
    if [[ $preset == hip ]]; then options+=(-DCMAKE_HIP_COMPILER_LAUNCHER=ccache); fi
  fi
  if [[ -n $gpu && -z ${Kokkos_ROOT:-} ]] && ! kokkos_has_cuda; then options+=(-DCROSSWARP_FETCH_KOKKOS=ON); fi
  wanted="$preset ${options[*]} ${Kokkos_ROOT:-} ${CXX:-} $nvcc $gpu"
  if [[ -f $record ]]; then
    mapfile -t recorded <"$record"
    parts=${recorded[1]:-}
  elif [[ -f $build/build.ninja ]]; then
    return
  else
    parts=$werror
  fi
  for part in $backends; do
    if [[ " $parts " == *" $part "* ]]; then continue; fi
    if [[ -f $record ]]; then say "adding $part to ${build#"$root/"}"; fi
    parts+=" $part"
  done
  if [[ -f $build/build.ninja && ${recorded[0]:-} == "$wanted" && ${recorded[1]:-} == "$parts" ]]; then return; fi
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here. Needed: a C++20 compiler, CMake 3.25, Ninja, fmt, nlohmann-json, CLI11, Boost's headers, GoogleTest," \
      "Google Benchmark, liblzma; useful: Kokkos, git, ccache"
  fi
  for part in cuda hip simt; do
    if [[ $part == hip && $preset == hip ]]; then continue; fi
    if [[ " $parts " == *" $part "* ]]; then value=REQUIRED; else value=OFF; fi
    options=("-DCROSSWARP_${part^^}=$value" "${options[@]}")
  done
  if [[ " $parts " == *" werror "* ]]; then options+=(-DCROSSWARP_WERROR=ON); fi
  rm -rf "$build/build.ninja" "$build/CMakeCache.txt" "$build/CMakeFiles"
  step "configuring ${build#"$root/"}" cmake -S "$root" --preset "$preset" -B "$build" "${options[@]}"
  sed -n 's/^-- crosswarp: /crosswarp: /p' "$root/build/setup.log" >&2
  printf '%s\n' "$wanted" "$parts" >"$record"
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

# Processor seconds to compile one file, by its folder: averages of a build by g++ 12 and CUDA 13 on an AMD EPYC.
declare -A seconds_to_compile=([core]=17 [bench]=11 [host]=5 [kokkos]=9 [mpi]=2 [gpu]=4 [cuda]=28 [hip]=45 [simt]=5 [_deps]=5)

# say_what_is_built <target>: files that are not compiled yet, and the minutes that they take, to the next whole one.
say_what_is_built() {
  local folder files=0 seconds=0 minutes
  while read -r folder; do
    files=$((files + 1)) seconds=$((seconds + ${seconds_to_compile[$folder]:-10}))
  done < <(cd "$build" && ninja -t commands "$1" | sed -nE 's/.* -o ([^ ]+\.o)( .*|$)/\1/p' | while read -r object; do
    if [[ ! -e $object ]]; then object=${object#backends/} && echo "${object%%/*}"; fi
  done)
  if ((files == 0)); then
    say "building $1 in ${build#"$root/"}"
  else
    minutes=$(((seconds / $(nproc) + 59) / 60))
    say "building $1 in ${build#"$root/"}: $files files, about $minutes min on $(nproc) cores"
  fi
}

# Backends that this build lacks and could have.
say_what_is_left_out() {
  local missing=() recorded=()
  if [[ ! -f $build/options ]]; then return; fi
  mapfile -t recorded <"$build/options"
  if [[ $preset == cuda && " ${recorded[1]:-} " != *" cuda "* ]]; then missing+=(cuda); fi
  if [[ " ${recorded[1]:-} " != *" simt "* ]]; then missing+=(simt simt64); fi
  if ((${#missing[@]} > 0)); then say "not built yet, and not listed: ${missing[*]} (--backend NAME builds one)"; fi
}

# progress <log>: copies ninja's output to the log; on a terminal its counter is one line that changes.
progress() {
  local line
  while IFS= read -r line; do
    echo "$line"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then printf '\r%s of %s ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2; fi
  done >"$1"
  printf '\r\033[K' >&2
}

# Builds the target in `build`, by `preset`: build_target <target> [CMake option…]
build_target() {
  if command -v apt-get >/dev/null; then install_missing "${@:2}"; fi
  configure "${@:2}"
  say_what_is_built "$1"
  local log=$root/build/setup.log ok=yes
  if [[ -t 2 && ${TERM:-dumb} != dumb ]]; then
    cmake --build "$build" --target "$1" 2>&1 | progress "$log" || ok=""
  else
    cmake --build "$build" --target "$1" >"$log" 2>&1 || ok=""
  fi
  if [[ -z $ok ]]; then
    cat "$log" >&2
    say "failed: building $1"
    exit 2
  fi
}
