/** The program cannot start for an external reason. The message names the file or port, the cause and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
