# The program itself knows what can follow; where it has nothing to say, files do.
complete -c bench -a '(env COMP_LINE=(commandline -cp | string collect) bench --complete)'
