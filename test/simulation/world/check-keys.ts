import { join } from 'node:path';
import { unwrapDataKey } from '../../../server/platform/vault/master-key.ts';
import { realFiles } from '../seams/simulated-files.ts';
import { keychainEntries } from '../seams/simulated-keychain.ts';
import { wrappedKeyOf } from './database-content.ts';
import type { World } from './world.ts';

/** The database and its backups. */
export function databaseFiles(world: World): string[] {
  const folder = join(world.home, 'backups');
  const names = realFiles.existsSync(folder) ? realFiles.readdirSync(folder) : [];
  return [world.databaseFile(), ...names.filter((name) => name.endsWith('.db')).map((name) => join(folder, name))];
}

/** Every file opens with a master key that is left, and nothing is left that an old one opens. */
export function checkKeys(world: World): void {
  const keyFile = join(world.home, 'master.key');
  const lines = realFiles.existsSync(keyFile) ? realFiles.readFileSync(keyFile, 'utf8').split('\n') : [];
  const keys = [...keychainEntries(), ...lines]
    .filter((text) => text !== '')
    .map((text) => Buffer.from(text, 'base64'));
  for (const file of databaseFiles(world)) {
    const wrappedKey = wrappedKeyOf(file);
    if (!keys.some((key) => unwrapDataKey(key, { wrappedKey, source: 'file' })))
      world.violate(`${file.slice(world.home.length + 1)} opens with none of the ${keys.length} master keys`);
  }
  for (const name of realFiles.readdirSync(world.home, { recursive: true }) as string[]) {
    const path = join(world.home, name);
    const content = realFiles.statSync(path).isFile() ? realFiles.readFileSync(path) : Buffer.alloc(0);
    for (const sealed of world.oldSealedKeys)
      if (content.includes(sealed)) world.violate(`${name} holds the data key, sealed with an old master key`);
  }
}
