# Completes "coxswain ctl". Made by "coxswain ctl completion fish".

# Prints the words between "ctl" and the cursor; fails outside of "coxswain ctl".
function __coxswain_words
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = ctl; or return 1
    test (count $words) -eq 2; or printf '%s\n' $words[3..-1]
end

function __coxswain_in_ctl
    __coxswain_words >/dev/null
end

# Prints the words that are no flags and no values of flags.
function __coxswain_plain
    set -l skip 0
    for word in (__coxswain_words)
        if test $skip -eq 1
            set skip 0
        else if contains -- "$word" @TAKES@
            set skip 1
        else if not string match -q -- '-*' "$word"
            printf '%s\n' "$word"
        end
    end
end

# Succeeds when the command is $argv[1], which is empty when there is none yet.
function __coxswain_verb_is
    __coxswain_in_ctl; or return 1
    set -l plain (__coxswain_plain)
    test (count $plain) -gt 0; or set plain ''
    test "$plain[1]" = "$argv[1]"
end

# Succeeds when the word to complete is the first one behind the command $argv[1].
function __coxswain_first
    set -l plain (__coxswain_plain)
    test (count $plain) -eq 1; and __coxswain_verb_is $argv[1]
end

# Prints the names of objects that may come here.
function __coxswain_names
    set -l program (commandline -opc)[1]
    # Where "coxswain-ctl" is completed as "coxswain ctl" this may be the only one.
    command -q $program; or set program coxswain-ctl
    set -lx COXSWAIN_SKIP_BUILD 1
    command $program ctl __complete (__coxswain_words) (commandline -ct) 2>/dev/null
end

complete -c coxswain -f
complete -c coxswain-ctl -w 'coxswain ctl'
complete -c coxswain -n "test (count (commandline -opc)) -eq 1" -a 'config ctl dev help limiter run version'
complete -c coxswain -n "__coxswain_verb_is ''" -a help -d 'Show the help of a command'
@LINES@
