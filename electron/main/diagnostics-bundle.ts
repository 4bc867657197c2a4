import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { app, dialog } from 'electron';
import type { DiagnosticsFile, ShellResult } from '../../server/contract/shell-bridge.ts';
import { diagnosticsFiles, diagnosticsText } from '../rules/diagnostics.ts';
import type { HubLink } from '../server-process/hub-link.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { isSystemError } from '../server-process/system-error.ts';
import type { ShellSettingsFile } from './shell-settings.ts';

interface DiagnosticsParts {
  supervisor: ServerSupervisor;
  hub: HubLink;
  settings: ShellSettingsFile;
}

const LOG_BYTES = 200_000;

/** Collects what helps to find the cause of a problem, without secrets. */
export class DiagnosticsBundle {
  readonly #parts: DiagnosticsParts;

  constructor(parts: DiagnosticsParts) {
    this.#parts = parts;
  }

  get files(): DiagnosticsFile[] {
    const { hub, settings, supervisor } = this.#parts;
    return diagnosticsFiles({
      about: {
        version: app.getVersion(),
        system: `${os.type()} ${os.release()} ${process.arch}`,
        electron: process.versions['electron'] ?? 'none',
        chrome: process.versions['chrome'] ?? 'none',
        language: app.getLocale(),
        isPackaged: String(app.isPackaged),
      },
      server: supervisor.state,
      hub: hub.status,
      settings: settings.value,
      logs: [{ name: 'server.log', text: lastPart(path.join(app.getPath('logs'), 'server.log')) }],
      home: app.getPath('home'),
    });
  }

  /** Asks for a place and saves. `path` is null when the person cancelled. */
  async save(): Promise<ShellResult<{ path: string | null }>> {
    const { canceled, filePath } = await dialog.showSaveDialog({
      title: 'Save diagnostics',
      defaultPath: path.join(app.getPath('downloads'), 'homeport-diagnostics.txt'),
      filters: [{ name: 'Text', extensions: ['txt'] }],
    });
    if (canceled || !filePath) return { ok: true, path: null };
    try {
      writeFileSync(filePath, diagnosticsText(this.files), { mode: 0o600 });
      return { ok: true, path: filePath };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { ok: false, message: `The file could not be written. Choose another folder. (${error.message})` };
    }
  }
}

/** Empty if there is no log yet. */
function lastPart(file: string): string {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    if (isSystemError(error)) return '';
    throw error;
  }
  try {
    const from = Math.max(0, fstatSync(handle).size - LOG_BYTES);
    const bytes = Buffer.alloc(LOG_BYTES);
    return bytes.subarray(0, readSync(handle, bytes, 0, LOG_BYTES, from)).toString('utf8');
  } finally {
    closeSync(handle);
  }
}
