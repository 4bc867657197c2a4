/** Text with its form, as Jira has it: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/ */
export interface DocumentNode {
  type: string;
  text?: string;
  attrs?: { text?: string };
  content?: DocumentNode[];
}

/** Blocks that hold words; all others hold blocks. */
const LINES = new Set(['paragraph', 'heading', 'codeBlock']);

/** The words of a document, a line for each paragraph, heading and list item. */
export function toPlainText(node: DocumentNode): string {
  if (node.type === 'hardBreak') return '\n';
  // Mentions, emojis and statuses have their words among their attributes.
  if (!node.content) return node.text ?? node.attrs?.text ?? '';
  return node.content.map(toPlainText).join(LINES.has(node.type) ? '' : '\n');
}

/** A document of plain text, a paragraph for each line. */
export function toDocument(text: string): DocumentNode & { version: number } {
  return {
    type: 'doc',
    version: 1,
    content: text.split('\n').map((line) => ({
      type: 'paragraph',
      // A text without words is refused.
      content: line === '' ? [] : [{ type: 'text', text: line }],
    })),
  };
}
