const NUMBER_WORDS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

/** What the schema library says of a value that does not fit (http-api.md 1.1), and the same as a sentence. */
const SENTENCES: ReadonlyArray<readonly [said: RegExp, sentence: (...parts: string[]) => string]> = [
  [/Invalid input: expected [^,]+, received undefined/, () => 'is missing'],
  [
    /Invalid input: expected ([^,]+), received (\w+)/,
    (_, expected = '', received = '') => `must be ${expected}, not ${received}`,
  ],
  [/Unrecognized keys?: (.+)/, (_, names = '') => `${names} is not known here`],
  [
    /Invalid option: expected one of (.+)/,
    (_, values = '') => `must be one of ${values.replaceAll('"', '').replaceAll('|', ', ')}`,
  ],
  [/Invalid input: expected ("[^"]*")$/, (_, value = '') => `must be ${value}`],
  [
    /Too (?:small|big): expected \w+ to have ([<>]=?)(\d+) (\w+)/,
    (_, sign = '', number = '', what = '') =>
      `must have ${NUMBER_WORDS[sign]} ${number} ${number === '1' ? what.replace(/s$/, '') : what}`,
  ],
  [
    /Too (?:small|big): expected \w+ to be ([<>]=?)(\S+)/,
    (_, sign = '', number = '') => `must be ${NUMBER_WORDS[sign]} ${number}`,
  ],
  [/^Invalid input$/, () => 'has no form that is allowed here'],
  // The rule itself is for programs. Where the hub knows a sentence, it sends that.
  [/Invalid string: must match pattern .+/s, () => 'has characters or a form that is not allowed'],
];

/** Says of a value that does not fit what is wrong with it. Other texts stay as they are. */
export function issueText(message: string): string {
  for (const [said, sentence] of SENTENCES) if (said.test(message)) return message.replace(said, sentence);
  return message;
}
