#!/usr/bin/env node
// Takes the place of fpm, which electron-builder downloads for deb and rpm: the same arguments, made into packages by the
// system's own dpkg-deb and rpmbuild.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    s: { ...text, short: 's' },
    t: { ...text, short: 't' },
    d: { ...text, short: 'd', multiple: true, default: [] },
    force: { type: 'boolean' },
    architecture: text,
    name: text,
    version: text,
    description: text,
    maintainer: text,
    vendor: text,
    url: text,
    license: text,
    category: text,
    package: text,
    'after-install': text,
    'after-remove': text,
    'deb-priority': text,
    'deb-compression': text,
    'deb-recommends': { ...text, multiple: true, default: [] },
    'rpm-summary': text,
    'rpm-compression': text,
    'rpm-rpmbuild-define': text,
    'rpm-os': text,
  },
});

const work = mkdtempSync(path.join(os.tmpdir(), 'fpm-stand-in-'));
const root = path.join(work, 'root');
for (const pair of positionals) {
  const [from, to] = pair.split(/=(?=\/)/);
  const target = path.join(root, to);
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(from, target, { recursive: true, verbatimSymlinks: true });
}
try {
  if (values.t === 'deb') makeDeb();
  else if (values.t === 'rpm') makeRpm();
  else throw new Error(`There is no ${values.t} here.`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function makeDeb() {
  const [summary, ...rest] = values.description.split('\n');
  const control = [
    `Package: ${values.name}`,
    `Version: ${values.version}`,
    `Architecture: ${values.architecture}`,
    `Maintainer: ${values.maintainer}`,
    `Homepage: ${values.url}`,
    `Priority: ${values['deb-priority']}`,
    `Depends: ${values.d.join(', ')}`,
    ...(values['deb-recommends'].length > 0 ? [`Recommends: ${values['deb-recommends'].join(', ')}`] : []),
    `Description: ${summary}`,
    ...rest.map((line) => ` ${line.trim() || '.'}`),
  ];
  const folder = path.join(root, 'DEBIAN');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'control'), `${control.join('\n')}\n`);
  writeFileSync(path.join(folder, 'postinst'), readFileSync(values['after-install']), { mode: 0o755 });
  writeFileSync(path.join(folder, 'postrm'), readFileSync(values['after-remove']), { mode: 0o755 });
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Znone', root, values.package], { stdio: 'inherit' });
}

function makeRpm() {
  const spec = [
    `Name: ${values.name}`,
    `Version: ${values.version}`,
    'Release: 1',
    `Summary: ${values['rpm-summary']}`,
    `License: ${values.license}`,
    `URL: ${values.url}`,
    `Vendor: ${values.vendor}`,
    'AutoReqProv: no',
    ...values.d.map((name) => `Requires: ${name}`),
    '%description',
    values.description,
    '%post',
    readFileSync(values['after-install'], 'utf8'),
    '%postun',
    readFileSync(values['after-remove'], 'utf8'),
    '%files',
    ...positionals.map((pair) => `"${pair.split(/=(?=\/)/)[1]}"`),
  ];
  const file = path.join(work, 'package.spec');
  writeFileSync(file, `${spec.join('\n')}\n`);
  const defines = [
    '_binary_payload w0.gzdio',
    '__os_install_post %{nil}',
    '_build_id_links none',
    `_rpmdir ${work}/rpms`,
    `_topdir ${work}/top`,
  ];
  // As fpm does: rpm has names of its own for processors.
  const arch = { amd64: 'x86_64', arm64: 'aarch64' }[values.architecture] ?? values.architecture;
  const args = ['-bb', '--target', arch, '--buildroot', root, ...defines.flatMap((one) => ['--define', one]), file];
  execFileSync('rpmbuild', args, { stdio: 'inherit' });
  renameSync(path.join(work, 'rpms', arch, `${values.name}-${values.version}-1.${arch}.rpm`), values.package);
}
