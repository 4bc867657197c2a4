import { chmodSync, copyFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup/setup-paths.mjs';

let fuses;

/**
 * Puts the launcher in the place of the window's program, for every package of Linux: menus, links, the AppImage and the
 * command start it, and it starts `homeport-desktop.bin`. electron-builder calls this (`afterPack` in electron-builder.yml).
 */
export default async function wrapProgram(context) {
  const { appOutDir, electronPlatformName, packager } = context;
  if (electronPlatformName !== 'linux') return;
  // electron-builder sets them after this, in the file with the name that the launcher has then.
  fuses ??= packager.config.electronFuses;
  packager.config.electronFuses = null;
  await packager.addElectronFuses(context, await packager.generateFuseConfig(fuses));
  const program = path.join(appOutDir, packager.executableName);
  renameSync(program, `${program}.bin`);
  copyFileSync(path.join(ROOT, 'build/resources/launchers/homeport-desktop'), program);
  chmodSync(program, 0o755);
}
