# Completes "coxswain ctl". Made by "coxswain ctl completion bash"; needs nothing but bash.

# Prints what may follow the command $1.
_coxswain_words() {
  case $1 in
@WORDS@
  esac
}

# Prints the flags of the command $1.
_coxswain_flags() {
  case $1 in
@FLAGS@
  esac
}

# Prints the values that the flag $2 of the command $1 may have.
_coxswain_values() {
  case "$1 $2" in
@VALUES@
  esac
}

# Succeeds when the flag $1 is followed by its value.
_coxswain_takes() {
  case $1 in
    @TAKES@) return 0 ;;
  esac
  return 1
}

# Succeeds when the value of the flag $1 is a file.
_coxswain_file() {
  case $1 in
    @FILES@) return 0 ;;
  esac
  return 1
}

_coxswain() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' behind=0 at word flag=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W 'config ctl dev help limiter run version' -- "$cur"))
    return
  fi
  [ "${COMP_WORDS[1]}" = ctl ] || return
  # bash cuts --flag=value into three words.
  if [ "$cur" = = ]; then
    cur=
  elif [ "$prev" = = ]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  # zsh does not, and wants the whole word back.
  case $cur in
    --*=*) flag=${cur%%=*}= prev=${cur%%=*} cur=${cur#*=} ;;
  esac
  for ((at = 2; at < COMP_CWORD; at++)); do
    word=${COMP_WORDS[at]}
    case $word in
      -*)
        if _coxswain_takes "$word"; then
          [ "${COMP_WORDS[at+1]}" = = ] && at=$((at + 1))
          at=$((at + 1))
        fi
        ;;
      *) if [ -z "$verb" ]; then verb=$word; else behind=$((behind + 1)); fi ;;
    esac
  done
  if _coxswain_takes "$prev"; then
    if _coxswain_file "$prev"; then
      COMPREPLY=($(compgen -f -- "$cur"))
    else
      COMPREPLY=($(compgen -W "$(_coxswain_values "$verb" "$prev")" -- "$cur"))
    fi
  elif [ "${cur#-}" != "$cur" ]; then
    COMPREPLY=($(compgen -W "$(_coxswain_flags "$verb")" -- "$cur"))
  elif [ "$behind" -eq 0 ]; then
    COMPREPLY=($(compgen -W "$(_coxswain_words "$verb")" -- "$cur"))
  fi
  # A value follows without a blank.
  case ${COMPREPLY[*]-} in
    *=) compopt -o nospace 2>/dev/null ;;
  esac
  [ -z "$flag" ] || COMPREPLY=("${COMPREPLY[@]/#/$flag}")
}

complete -F _coxswain coxswain
