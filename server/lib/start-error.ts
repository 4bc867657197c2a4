/** The program cannot start, for a reason outside of it; the message names the file or port, the cause and the way out. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
