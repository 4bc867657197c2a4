let count = 0;

/** Reports that a process which the files of a test process share has started (1) or has ended (-1). */
export function countLasting(change: 1 | -1): void {
  count += change;
}

/** The number of running processes that no single file has to end. */
export const lastingProcesses = (): number => count;
