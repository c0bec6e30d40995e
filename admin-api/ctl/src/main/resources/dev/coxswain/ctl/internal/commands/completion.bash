# Completes "coxswain ctl". Made by "coxswain ctl completion bash"; needs nothing but bash, and the program for names of objects.

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

# Succeeds when words of the command $1 are names of objects.
_coxswain_has_names() {
  case $1 in
    @NAMES@) return 0 ;;
  esac
  return 1
}

# Succeeds when the value of the flag $1 is the name of an object.
_coxswain_named() {
  case $1 in
    @NAMED@) return 0 ;;
  esac
  return 1
}

# Prints the names that may come after the words before the cursor. A key that is hit never begins a build.
_coxswain_names() {
  local at words=()
  for ((at = 2; at < COMP_CWORD; at++)); do
    [ "${COMP_WORDS[at]}" = = ] || words+=("${COMP_WORDS[at]}")
  done
  COXSWAIN_SKIP_BUILD=1 "${_coxswain_program:-${COMP_WORDS[0]}}" ctl __complete ${words[@]+"${words[@]}"} "$1" 2>/dev/null
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
    elif _coxswain_named "$prev"; then
      COMPREPLY=($(compgen -W "$(_coxswain_names "$flag$cur")" -- "$cur"))
    else
      COMPREPLY=($(compgen -W "$(_coxswain_values "$verb" "$prev")" -- "$cur"))
    fi
  elif [ "${cur#-}" != "$cur" ]; then
    COMPREPLY=($(compgen -W "$(_coxswain_flags "$verb")" -- "$cur"))
  elif [ "$behind" -eq 0 ]; then
    COMPREPLY=($(compgen -W "$(_coxswain_words "$verb")" -- "$cur"))
  fi
  if [ -z "$flag" ] && [ "${#COMPREPLY[@]}" -eq 0 ] && [ "${cur#-}" = "$cur" ] && ! _coxswain_takes "$prev" && _coxswain_has_names "$verb"; then
    COMPREPLY=($(compgen -W "$(_coxswain_names "$cur")" -- "$cur"))
  fi
  # A value follows without a blank.
  case ${COMPREPLY[*]-} in
    *=) compopt -o nospace 2>/dev/null ;;
  esac
  [ -z "$flag" ] || COMPREPLY=("${COMPREPLY[@]/#/$flag}")
}

# Completes the program that has "ctl" alone.
_coxswain_ctl() {
  local _coxswain_program=${COMP_WORDS[0]}
  COMP_WORDS=(coxswain ctl "${COMP_WORDS[@]:1}")
  COMP_CWORD=$((COMP_CWORD + 1))
  _coxswain
}

# Prints what the last of the words behind "kubectl coxswain" may become, line by line; $1 is the program.
_coxswain_kubectl() {
  local _coxswain_program=$1 last
  shift
  COMP_WORDS=(coxswain ctl "$@")
  last=${COMP_WORDS[${#COMP_WORDS[@]}-1]}
  case $last in
    --*=*) COMP_WORDS=("${COMP_WORDS[@]:0:${#COMP_WORDS[@]}-1}" "${last%%=*}" = "${last#*=}") ;;
  esac
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _coxswain || true
  [ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}

complete -F _coxswain coxswain
complete -F _coxswain_ctl coxswain-ctl
