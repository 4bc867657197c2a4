/** Formatted text in Jira's format: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/ */
export interface DocumentNode {
  type: string;
  text?: string;
  attrs?: { text?: string };
  content?: DocumentNode[];
}

/** Blocks that contain text. All others contain blocks. */
const LINES = new Set(['paragraph', 'heading', 'codeBlock']);

/** The text of a document, with one line for each paragraph, heading and list item. */
export function toPlainText(node: DocumentNode): string {
  if (node.type === 'hardBreak') return '\n';
  // Mentions, emojis and statuses have their text in an attribute.
  if (!node.content) return node.text ?? node.attrs?.text ?? '';
  return node.content.map(toPlainText).join(LINES.has(node.type) ? '' : '\n');
}

/** A document from plain text, with one paragraph per line. */
export function toDocument(text: string): DocumentNode & { version: number } {
  return {
    type: 'doc',
    version: 1,
    content: text.split('\n').map((line) => ({
      type: 'paragraph',
      // Jira refuses an empty text.
      content: line === '' ? [] : [{ type: 'text', text: line }],
    })),
  };
}
