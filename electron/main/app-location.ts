import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { app, dialog } from 'electron';
import { isOnDiskImage, updateObstacle } from '../rules/desktop-environment.ts';
import { isSystemError } from '../server-process/system-error.ts';
import { askPerson } from './ask-person.ts';

/** Whether the app's files are gone after the next start. */
export function isMisplaced(): boolean {
  return app.isPackaged && isOnDiskImage(process.platform, process.execPath);
}

/** Why this installation cannot update itself; undefined when it can. */
export function findUpdateObstacle(): string | undefined {
  return updateObstacle({
    platform: process.platform,
    program: process.execPath,
    appImage: process.env['APPIMAGE'],
    hasPackageType: existsSync(path.join(process.resourcesPath, 'package-type')),
    canWrite,
  });
}

/** Offers to move an app that was started from its disk image; it then starts again from its new place. */
export function setupLocation(): void {
  void app.whenReady().then(async () => {
    if (!isMisplaced()) return;
    const isWanted = await askPerson({
      type: 'question',
      message: 'Move Homeport to the Applications folder?',
      detail: 'It runs from its disk image now. From there it cannot start at login or update itself.',
      yes: 'Move',
      no: 'Not now',
      enter: 'yes',
    });
    if (isWanted) move();
  });
}

function move(): void {
  try {
    if (app.moveToApplicationsFolder()) return;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  dialog.showErrorBox('Homeport was not moved', 'Drag it from the disk image to the Applications folder.');
}

function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    accessSync(path.dirname(file), constants.W_OK);
    return true;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}
