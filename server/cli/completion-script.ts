import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

interface Completion {
  /** Words before the completed one, without the program's name. */
  path: string;
  word: string;
  description: string;
}

/** Returns a completion script, generated from the commands themselves so that it cannot be out of date. */
export function completionScript(program: Command, shell: Shell): string {
  const all = completionsOf(program, '');
  return { bash, zsh, fish }[shell](all);
}

function completionsOf(command: Command, path: string): Completion[] {
  const subcommands = command.createHelp().visibleCommands(command);
  const words = subcommands.map((one) => ({ path, word: one.name(), description: one.description() }));
  const options = command.createHelp().visibleOptions(command);
  const flags = options.flatMap(({ long, description }) => (long ? [{ path, word: long, description }] : []));
  const deeper = subcommands.flatMap((one) => completionsOf(one, path === '' ? one.name() : `${path} ${one.name()}`));
  return [...words, ...flags, ...deeper];
}

function bash(all: Completion[]): string {
  const cases = [...Map.groupBy(all, ({ path }) => path)].map(
    ([path, own]) => `    "${path}") words="${own.map(({ word }) => word).join(' ')}" ;;`,
  );
  return `_homeport_words() {
  local path="" words="" word from=1 at
  for ((at = 0; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in homeport|*/homeport) from=$((at + 1)); break ;; esac
  done
  for word in "\${COMP_WORDS[@]:$from:$((COMP_CWORD - from))}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case "$path" in
${cases.map((line) => `  ${line}`).join('\n')}
    esac
    [ -n "$words" ] || [ -z "$path" ] && break
    # What follows a command is an argument of it.
    case "$path" in *" "*) path="\${path% *}" ;; *) path="" ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
# npx homeport … and npm run homeport -- …; everything else of npx and npm is completed as before.
_homeport_of_npm() {
  local word before
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    [ "$word" = homeport ] && { _homeport_words; return; }
  done
  case "$1" in npm) before="$_homeport_before_npm" ;; *) before="$_homeport_before_npx" ;; esac
  [ -z "$before" ] || "$before" "$@"
}
_homeport_before() {
  complete -p "$1" 2>/dev/null | sed -n '/_homeport_of_npm/d; s/.*-F \\([^ ]*\\).*/\\1/p'
}
_homeport_before_npm="\${_homeport_before_npm:-$(_homeport_before npm)}"
_homeport_before_npx="\${_homeport_before_npx:-$(_homeport_before npx)}"
complete -o default -F _homeport_words homeport
for _homeport_name in npx npm; do
  # A completion of zsh itself stays.
  [ -n "$ZSH_VERSION" ] && [ -n "\${_comps[$_homeport_name]}" ] && [ "\${_comps[$_homeport_name]#*_homeport_of_npm}" = "\${_comps[$_homeport_name]}" ] && continue
  complete -o default -F _homeport_of_npm "$_homeport_name"
done
`;
}

function zsh(all: Completion[]): string {
  return `#compdef homeport
autoload -U +X bashcompinit && bashcompinit
${bash(all)}# The first completion loads this file as the function _homeport.
[ "$funcstack[1]" = _homeport ] && _bash_complete -o default -F _homeport_words
`;
}

function fish(all: Completion[]): string {
  const lines = all.map(({ path, word, description }) => {
    const condition =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map((one) => `__fish_seen_subcommand_from ${one}`)
            .join('; and ');
    const target = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a '${word}'`;
    return `complete -c homeport -n '${condition}' ${target} -d '${description.replaceAll("'", "\\'")}'`;
  });
  return `complete -c homeport -f
${lines.join('\n')}
# npx homeport … and npm run homeport -- …
function __homeport_of_npm
  set -l words (commandline -opc)
  set -l at (contains -i homeport $words); or return
  set -e words[1..$at]
  set words (string match -v -- -- $words)
  complete -C "homeport $words "(commandline -ct)
end
complete -c npx -n '__fish_seen_subcommand_from homeport' -f -a '(__homeport_of_npm)'
complete -c npm -n '__fish_seen_subcommand_from homeport' -f -a '(__homeport_of_npm)'
`;
}
