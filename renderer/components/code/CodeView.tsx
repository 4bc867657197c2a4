import { javascript } from '@codemirror/lang-javascript';
import { Compartment, EditorState, type Extension, RangeSet } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutterLineClass, lineNumbers, WidgetType } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { codeParts } from '../../lib/code-parts.ts';
import { codeTheme } from './code-theme.ts';

interface CodeProblem {
  message: string;
  code: string | null;
  line: number | null;
}

class ProblemWidget extends WidgetType {
  readonly #problem: CodeProblem;

  constructor(problem: CodeProblem) {
    super();
    this.#problem = problem;
  }

  override toDOM(): HTMLElement {
    const box = document.createElement('div');
    box.className = 'cm-problem';
    const text = document.createElement('span');
    for (const part of codeParts(this.#problem.message)) {
      const piece = document.createElement(part.isCode ? 'code' : 'span');
      piece.textContent = part.text;
      text.append(piece);
    }
    const code = document.createElement('small');
    code.textContent = this.#problem.code ?? '';
    box.append(document.createElement('i'), text, code);
    const block = document.createElement('div');
    block.className = 'cm-problem-block';
    block.append(box);
    return block;
  }
}

/** Colours the number of a line as the line itself. */
class BadLineMarker extends GutterMarker {
  override elementClass = 'cm-bad-line';
}

function problemMarks({ doc }: EditorState, problems: CodeProblem[]): Extension {
  const placed = problems.flatMap((problem) =>
    problem.line !== null && problem.line <= doc.lines ? [{ problem, line: doc.line(problem.line) }] : [],
  );
  const marks = placed.flatMap(({ problem, line }) => [
    Decoration.line({ class: 'cm-bad-line' }).range(line.from),
    Decoration.widget({ widget: new ProblemWidget(problem), block: true, side: 1 }).range(line.to),
  ]);
  const numbers = placed.map(({ line }) => new BadLineMarker().range(line.from));
  // The editor throws on unordered marks, and two problems may be on the same line.
  return [EditorView.decorations.of(Decoration.set(marks, true)), gutterLineClass.of(RangeSet.of(numbers, true))];
}

interface CodeViewProps {
  code: string;
  label: string;
  problems?: CodeProblem[];
  /** Line to scroll to; a new number scrolls again. */
  goTo?: { line: number; at: number } | undefined;
}

/**
 * Read-only TypeScript. It lives in a shadow root because the editor then uses constructed style sheets, which the
 * page's policy allows, instead of style elements, which it refuses.
 */
export function CodeView({ code, label, problems = [], goTo }: CodeViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const marks = useRef(new Compartment());
  const problemText = JSON.stringify(problems);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      extensions: [
        lineNumbers(),
        javascript({ typescript: true }),
        codeTheme,
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
        marks.current.of([]),
      ],
    });
    const editor = new EditorView({ state, parent: root, root });
    editor.scrollDOM.tabIndex = 0;
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  // A saved file changes the text in place, so that the scroll position stays.
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    if (editor.state.doc.toString() !== code)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: code } });
    const given = JSON.parse(problemText) as CodeProblem[];
    editor.dispatch({ effects: marks.current.reconfigure(problemMarks(editor.state, given)) });
  }, [code, problemText]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || !goTo || goTo.line > editor.state.doc.lines) return;
    const line = editor.state.doc.line(goTo.line);
    editor.dispatch({
      selection: { anchor: line.from },
      effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
    });
    editor.focus();
  }, [goTo]);
  return <div ref={host} style={{ containerType: 'inline-size', height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}
