/** The main modifier as its key cap says. */
export const modifierKey = (): string => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl');
