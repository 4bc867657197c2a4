/** Whether an address leads to this computer, by its name. */
export function isLoopbackAddress(address: string): boolean {
  const url = URL.parse(address);
  return (
    url !== null && /^https?:$/.test(url.protocol) && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  );
}
