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
    fault: 'The disk was full when a creation failed, and its job stood still until the next start.',
    seed: 519,
    steps: 'connect 7; connect 724 &; the provider changes 490 &; the disk is full 465 &',
  },
  {
    fault: 'A clock that was a year ahead removed webhooks, logs and records as old.',
    seed: 1,
    steps: 'connect; time passes 70; the clock is set 2; the process is killed; time passes 5',
  },
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
    seed: 63,
    steps:
      'the vault is unlocked; connect; the vault is locked at a call 24; time passes 5; the vault is unlocked; time passes 30',
  },
  {
    fault: 'A restore was killed after an unclean end, and the database had lost its log.',
    seed: 1,
    steps: 'connect; a backup is made; set metadata 12; a backup is restored 42',
  },
  {
    fault: 'A backup that was made while the master key was replaced opened with no key that was left.',
    seed: 187,
    steps: 'connect; sign in 308; the master key is changed 445 &; a backup is made 816 &',
  },
  {
    fault: 'A change of the functions folder met a failed call, and was never applied.',
    seed: 1,
    steps: 'a function is edited 443; the hub stops and starts; one call fails 20; time passes 85; connect 445',
  },
  {
    fault: 'A function whose file was deleted while the clock was ahead ran on for as long as it had been ahead.',
    seed: 1,
    steps: 'connect; the clock is set 1; a function is deleted; time passes',
  },
  {
    fault:
      'The response with a new token was read after a sleep: it counted as valid for an hour, and nobody renewed it.',
    seed: 5041,
    steps:
      'connect 781; the clock is set 637 &; time passes 6 &; connect 895; the computer sleeps 862; the power fails 902 &; the computer sleeps 15',
  },
  {
    fault: 'A connection could not be read after it was stored: its job stood still until the next start.',
    seed: 12209,
    steps:
      'the process is killed at a call 48; connect 161; time passes 999; bad responses 228 &; time passes 545; set metadata 64; time passes 768 &; one call fails 884 &; sign in 973',
  },
  {
    fault:
      'The clock was set back while a person signed in: the token counted as valid for as long as it had been ahead.',
    seed: 10,
    steps: 'the clock is set 12; sign in &; read 1 &; the clock is set 3; the computer sleeps 1',
  },
  {
    fault:
      'A call failed while the functions folder was read: its files were looked for without end, and without a pause.',
    seed: 101527,
    steps: 'one call fails 122; set metadata 516',
  },
  {
    fault:
      'A token was renewed while the clock was ahead, and its next renewal failed: it counted as valid for as long as the clock had been ahead.',
    seed: 101782,
    steps:
      'connect 533 &; time passes 802; the provider changes 323 &; the clock is set 702; bad responses 219 &; sign in 717; time passes 768; the computer sleeps 239 &; the process is killed 473',
  },
  {
    fault: 'Of two backups of the same moment the second one replaced the first.',
    seed: 105165,
    steps:
      'bad responses 755 &; a backup is made 13; connect 514; a backup is made 551 &; set metadata 170; the provider changes 6 &; a backup is restored 192 &',
  },
  {
    fault: 'A part of the begin of a transaction failed: it stayed open, and nothing was stored until the next start.',
    seed: 106161,
    steps:
      'the master key is changed 114; trigger syncs 984 &; time passes 896; bad responses 205; the process is killed 364 &; a function is edited 641; sign in 922; disconnect 10 &; one call fails 253; set metadata 685',
  },
  {
    fault:
      'An agent had a session for a connection that was refused then; the next one got its number, and the session.',
    seed: 113293,
    steps:
      'the hub stops and starts 966; the vault is locked at a call 732; connect 762; an agent begins 922 &; the vault is unlocked 554 &; sign in 768; an agent works 339',
  },
  {
    fault: 'The first read of the database failed at a start: the functions folder was not watched until the next one.',
    seed: 113955,
    steps:
      'the clock is set 39; sign in 449; a sync goes on 296; the computer sleeps 568; a backup is made 988; the process is killed at a call 216 &; a function is edited 35; time passes 631 &; one call fails 482; time passes 172 &',
  },
];
