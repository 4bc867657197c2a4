let count = 0;

/** Says that a process which the files of a test process share has been started (1) or has ended (-1). */
export function countLasting(change: 1 | -1): void {
  count += change;
}

/** How many processes run that no single file has to end. */
export const lastingProcesses = (): number => count;
