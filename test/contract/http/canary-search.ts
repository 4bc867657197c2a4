import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where secrets lie in the files of a data folder or in what the server wrote, in clear or in disguise. */
export async function findSecrets(
  home: string,
  secrets: Record<string, string>,
  errorOutput: string,
): Promise<string[]> {
  // The workspace holds what a developer wrote.
  const files = (await filesOf(home)).filter((file) => !file.includes(`${home}/functions/`));
  if (!files.some((file) => file.endsWith('homeport.db'))) throw new Error(`${home} is no data folder`);
  const haystacks = [
    ...(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const))),
    ['stderr', Buffer.from(errorOutput)] as const,
  ];
  return Object.entries(secrets).flatMap(([name, secret]) =>
    spellingsOf(secret).flatMap((spelling) =>
      haystacks.flatMap(([file, content]) => {
        const at = content.indexOf(spelling);
        return at < 0 ? [] : [`${name} as ${spelling} in ${file}: …${excerpt(content, at)}`];
      }),
    ),
  );
}

function excerpt(content: Buffer, at: number): string {
  const text = content.subarray(Math.max(0, at - 120), at + 60).toString('latin1');
  return text.replace(/[^\x20-\x7e]/g, '.');
}

/** Spellings under which a secret could lie in a file. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // In base64 a text looks different at each of the three positions it may stand at; its inner part is telling enough.
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

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
