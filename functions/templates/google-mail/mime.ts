/** A message of plain text. */
export interface Mail {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  text: string;
  /** `Message-ID` of the message that this one answers. */
  inReplyTo: string | undefined;
}

/** Writes the message according to RFC 5322, in base64url as Gmail requires. Gmail sets the sender. */
export function encodeMail({ to, cc, bcc, subject, text, inReplyTo }: Mail): string {
  const lines = [
    `To: ${to.join(', ')}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(', ')}`] : []),
    ...(bcc.length > 0 ? [`Bcc: ${bcc.join(', ')}`] : []),
    `Subject: ${encodeWords(subject)}`,
    ...(inReplyTo ? [`In-Reply-To: ${inReplyTo}`, `References: ${inReplyTo}`] : []),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset="UTF-8"',
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(text)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
  ];
  return Buffer.from(lines.join('\r\n')).toString('base64url');
}

/** RFC 2047: a header contains only ASCII; other text is encoded in words of at most 75 characters. */
function encodeWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const words = [''];
  for (const character of text) {
    const last = words.at(-1) ?? '';
    if (Buffer.byteLength(last + character) <= 45) words[words.length - 1] = last + character;
    else words.push(character);
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}
