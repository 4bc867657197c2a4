/** Tells the browser that a sign-in was begun in, when the provider sends one back (auth-and-connect.md 3.2, 3.5). */
export function stateCookie(state: string): string {
  return `oauth2-${state}=1`;
}
