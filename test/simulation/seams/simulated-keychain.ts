import type { Machine } from '../machine.ts';

/** The part of `keytar` that the hub uses. The entries are of the computer: they outlive its processes. */
let machine: Machine;
const entries = new Map<string, string>();

/** A computer whose keychain is empty. */
export function setKeychainMachine(used: Machine): void {
  machine = used;
  entries.clear();
}

/** A write or removal can be the last call of the process, as that of a file. */
function later<T>(label: string, work: () => T): Promise<T> {
  const { boot } = machine;
  return new Promise((resolve, reject) => {
    machine.later(entries, () => {
      if (!boot.isOn) return;
      try {
        const value =
          label === 'read' ? work() : boot.call('file', `keychain ${label}`, work, () => new Error('it is locked'));
        if (boot.isOn) resolve(value as T);
      } catch (error) {
        reject(error);
      }
    });
  });
}

export function getPassword(_service: string, account: string): Promise<string | null> {
  return later('read', () => entries.get(account) ?? null);
}

export function setPassword(_service: string, account: string, password: string): Promise<void> {
  return later('write', () => void entries.set(account, password));
}

export function deletePassword(_service: string, account: string): Promise<boolean> {
  return later('remove', () => entries.delete(account));
}

/** All of them, for the simulator itself. */
export function keychainEntries(): readonly string[] {
  return [...entries.values()];
}
