import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The encodings under which a secret could be in a file. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // In base64 a text has a different form at each of three offsets; its inner part is long enough to recognise.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  const percent = [
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    encodeURI(secret),
  ];
  return [
    ...new Set([
      secret,
      secret.slice(0, 16),
      ...percent,
      ...base64,
      ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
      bytes.toString('hex'),
      JSON.stringify(secret).slice(1, -1),
    ]),
  ];
}

/** Every file below a folder, by its path. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * The places of secrets in a data folder or in further texts, such as the server's output: in clear or in any encoding,
 * a sentence for each place. The workspace in the folder contains the developer's own text and is skipped.
 */
export async function findSecrets(
  home: string,
  secrets: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, string>>,
): Promise<string[]> {
  const files = (await filesBelow(home)).filter((file) => !file.includes(`${home}/functions/`));
  if (!files.some((file) => file.endsWith('homeport.db'))) throw new Error(`${home} is no data folder`);
  return findIn(secrets, files, texts);
}

async function findIn(
  secrets: Readonly<Record<string, string>>,
  files: readonly string[],
  texts: Readonly<Record<string, string>>,
): Promise<string[]> {
  const haystacks = [
    ...(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const))),
    ...Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)] as const),
  ];
  return Object.entries(secrets).flatMap(([name, secret]) =>
    spellingsOf(secret).flatMap((spelling) =>
      haystacks.flatMap(([file, content]) => {
        const at = content.indexOf(spelling);
        return at < 0 ? [] : [`${name} as ${spelling} in ${file}: …${around(content, at)}`];
      }),
    ),
  );
}

function around(content: Buffer, at: number): string {
  const part = content.subarray(Math.max(0, at - 120), at + 60).toString('latin1');
  return part.replace(/[^\x20-\x7e]/g, '.');
}
