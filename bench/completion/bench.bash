# The program itself knows what can follow; where it has nothing to say, files do.
complete -o default -C 'bench --complete' bench
