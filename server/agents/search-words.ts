/** Words of texts in the form in which they are compared: parts of names, without endings, accents and filler words. */

const FILLERS = new Set(
  (
    'a about all an and any are as at be by can do for from get give has have i in into is it its let me my of on or our ' +
    'please some that the their them then this to tool tools up use want we what when which with you your'
  ).split(' '),
);

/** Verbs that name the same act; the first stands for all. */
const SAME_ACT = [
  'find search query lookup list fetch get read retrieve show view browse',
  'create add insert make new write post open',
  'update edit change modify set patch rename',
  'delete remove destroy erase drop',
  'send submit forward publish share reply',
];

const ACT_OF = new Map(
  SAME_ACT.map((line) => line.split(' ')).flatMap((verbs) => verbs.map((verb) => [stem(verb), `act:${verbs[0]}`])),
);

/** `createIssue_v2` → create, issue, v2. Order and repetitions stay. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(stem);
}

/** As `wordsOf`, without filler words, each once. A text of nothing else keeps them. */
export function queryWords(text: string): string[] {
  const words = [...new Set(wordsOf(text))];
  const telling = words.filter((word) => !FILLER_STEMS.has(word));
  return telling.length > 0 ? telling : words;
}

/** The act that a verb names, as a word of its own. */
export const actOf = (word: string): string | undefined => ACT_OF.get(word);

/** Takes the usual endings of English words off: messages → message, sending → send, queries → query. */
function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|us|is)$/.test(word)) return word;
  if (/(x|ch|sh|ss|z)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('s')) return stem(word.slice(0, -1));
  for (const ending of ['ing', 'ed']) {
    if (!word.endsWith(ending) || word.length < ending.length + 3) continue;
    const root = word.slice(0, -ending.length);
    if (!/[aeiouy]/.test(root)) continue;
    if (/([bdfgmnprt])\1$/.test(root)) return root.slice(0, -1);
    return root.replace(/e$/, '');
  }
  return word.endsWith('e') ? word.slice(0, -1) : word;
}

const FILLER_STEMS = new Set([...FILLERS].map(stem));
