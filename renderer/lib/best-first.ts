interface Option {
  label: string;
  value: string;
}

/** 0: the name begins with the text, 1: a word of it does, 2: the text is inside of it, 3: it is in the value only. */
function rankOf({ label, value }: Option, needle: string): number | undefined {
  const name = label.toLowerCase();
  const at = name.indexOf(needle);
  if (at === 0) return 0;
  if (at > 0) return name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(needle)) ? 1 : 2;
  return value.toLowerCase().includes(needle) ? 3 : undefined;
}

/** The options that have the text in their name or value: those whose name begins with it first, else in their order. */
export function bestFirst<One extends Option>(options: readonly One[], text: string): One[] {
  const needle = text.trim().toLowerCase();
  const ranked = options.flatMap((option) => {
    const rank = rankOf(option, needle);
    return rank === undefined ? [] : [{ option, rank }];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ option }) => option);
}
