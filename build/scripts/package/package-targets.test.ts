import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { getTarget, hostTarget, machineOf, requireMachineCode } from './package-targets.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'homeport-machine-code-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the first bytes of a file with machine code. */
function writeHead(name: string, write: (head: Buffer) => void): string {
  const head = Buffer.alloc(512);
  write(head);
  const file = path.join(folder, name);
  writeFileSync(file, head);
  return file;
}

const elf = (processor: number) => (head: Buffer) => {
  head.write('\x7fELF', 0, 'latin1');
  head.writeUInt16LE(processor, 18);
};
const machO = (processor: number) => (head: Buffer) => {
  head.writeUInt32LE(0xfeedfacf, 0);
  head.writeUInt32LE(processor, 4);
};
const pe = (processor: number) => (head: Buffer) => {
  head.write('MZ', 0, 'latin1');
  head.writeUInt32LE(128, 60);
  head.write('PE\0\0', 128, 'latin1');
  head.writeUInt16LE(processor, 132);
};

describe('machine code', () => {
  it.each([
    ['linux-x64', elf(62)],
    ['linux-arm64', elf(183)],
    ['darwin-x64', machO(0x01000007)],
    ['darwin-arm64', machO(0x0100000c)],
    ['win32-x64', pe(0x8664)],
    ['win32-arm64', pe(0xaa64)],
    [undefined, (head: Buffer) => head.write('#!/bin/sh')],
  ])('is recognised as %s', (machine, write) => {
    expect(machineOf(writeHead('file', write))).toBe(machine);
  });

  it('is that of the Node which runs this', () => {
    expect(machineOf(process.execPath)).toBe(`${process.platform}-${process.arch}`);
  });

  it('is required to be there and of the target', () => {
    const target = getTarget('mac-arm64');
    const advice = 'Make packages of mac-arm64 on such a machine, after npm run setup.';

    expect(() => requireMachineCode(writeHead('ok', machO(0x0100000c)), target, 'The tool')).not.toThrow();
    expect(() => requireMachineCode(writeHead('other', machO(0x01000007)), target, 'The tool')).toThrow(
      /The tool is not for mac-arm64 but for darwin-x64/,
    );
    expect(() =>
      requireMachineCode(
        writeHead('text', () => {}),
        target,
        'The tool',
      ),
    ).toThrow(/but for something else/);
    expect(() => requireMachineCode(path.join(folder, 'none'), target, 'The tool')).toThrow(
      new RegExp(`The tool is missing for mac-arm64 .* ${advice}`),
    );
  });
});

describe('targets', () => {
  it('have names that people read', () => {
    expect(hostTarget('darwin', 'arm64')).toBe('mac-arm64');
    expect(hostTarget('freebsd', 'x64')).toBeUndefined();
    expect(() => getTarget('amiga-68k')).toThrow(/There is no target amiga-68k. Targets are linux-x64, /);
  });
});
