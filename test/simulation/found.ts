/** A history that broke a promise once. Each of them is played at every push. */
export interface Found {
  /** The fault that it found. */
  fault: string;
  seed: number;
  /** See `world/steps.ts`: the shortened history, as the simulator printed it. */
  steps: string;
}

export const FOUND: readonly Found[] = [
  {
    fault: 'After a power loss an acknowledged connection was validated again, refused and removed.',
    seed: 1,
    steps: 'connect; bad responses 1; the power fails',
  },
  {
    fault: 'The log of the database was removed while the disk was full, and the content was never saved.',
    seed: 8,
    steps: 'connect; the disk is full; the log of the database is removed',
  },
  {
    fault: 'One of several statements of a transaction was stored after the rollback: its records could not be read.',
    seed: 1,
    steps:
      'the vault is unlocked; connect; the vault is locked at a call 24; time passes 5; the vault is unlocked; time passes 30',
  },
];
