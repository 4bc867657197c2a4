export interface TextPart {
  text: string;
  isCode: boolean;
}

/** A message in its parts: code stands between backticks. A backtick without another one stays. */
export function codeParts(message: string): TextPart[] {
  return message
    .split(/`([^`]+)`/)
    .map((text, index) => ({ text, isCode: index % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
