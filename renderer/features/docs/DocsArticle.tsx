import { createElement, Fragment, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import type { DocsElement, DocsEntry, DocsNode, DocsPage } from '../../api/contract.ts';
import { paths } from '../../lib/paths.ts';
import { fillReaderAddress } from '../../lib/reader-values.ts';
import classes from './Docs.module.css';
import { DocsBlock } from './DocsBlock.tsx';
import { ReaderContext, useReader, useReaderState } from './reader-context.ts';

/** Headings that the list beside the page shows. */
const LISTED = ['h2', 'h3'];
const MOST_LISTED = 60;

/** One page: its text, the headings on it, and the pages before and after it. */
export function DocsArticle({ page, entries }: { page: DocsPage; entries: readonly DocsEntry[] }) {
  const article = useRef<HTMLElement>(null);
  const { hash } = useLocation();
  const reader = useReaderState();
  useEffect(() => {
    if (hash === '') article.current?.parentElement?.scrollTo({ top: 0 });
    else document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [hash]);
  const headings = page.content.filter(isHeading);
  const listed = headings.length > MOST_LISTED ? headings.filter(({ tag }) => tag === 'h2') : headings;
  return (
    <ReaderContext value={reader}>
      <div className={`scroll ${classes['main']}`}>
        <article ref={article} className={classes['article']}>
          {page.content.map((node, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a page never change places.
            <Fragment key={index}>{draw(node)}</Fragment>
          ))}
          <Neighbours name={page.name} entries={entries} />
        </article>
        {listed.length > 1 && (
          <nav aria-label="On this page" className={classes['toc']}>
            <h2 className="note faint">On this page</h2>
            <ul>
              {listed.map(({ children, id = '', tag }) => (
                <li key={id} data-level={tag}>
                  <Link to={{ hash: `#${id}` }} className={`soft note breaks ${classes['part']}`}>
                    {children.map(plainText).join('')}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
    </ReaderContext>
  );
}

function isHeading(node: DocsNode): node is DocsElement {
  return typeof node === 'object' && 'tag' in node && node.id !== undefined && LISTED.includes(node.tag);
}

function Neighbours({ name, entries }: { name: string; entries: readonly DocsEntry[] }) {
  const listed = entries.filter(({ section }) => section !== null);
  const at = listed.findIndex((one) => one.name === name);
  if (at === -1) return null;
  const [before, after] = [listed[at - 1], listed[at + 1]];
  return (
    <nav aria-label="Next pages" className={`row between ${classes['neighbours']}`}>
      {before ? <Link to={paths.docs(before.name)}>← {before.title}</Link> : <span />}
      {after && <Link to={paths.docs(after.name)}>{after.title} →</Link>}
    </nav>
  );
}

const draw = (node: DocsNode): ReactNode => {
  if (typeof node === 'string') return node;
  if ('code' in node) return <DocsBlock block={node} />;
  const children = node.children.map((child, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    <Fragment key={index}>{draw(child)}</Fragment>
  ));
  switch (node.tag) {
    case 'a':
      return <DocsAnchor href={node.href ?? ''}>{children}</DocsAnchor>;
    case 'code':
      return <InlineCode text={node.children.map(plainText).join('')} />;
    case 'img':
      return <img src={`/docs/${node.src}`} alt={node.alt ?? ''} />;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        <section className="scroll" tabIndex={0} aria-label="Table">
          <table className="table">{children}</table>
        </section>
      );
    case 'h2':
    case 'h3':
    case 'h4':
      return createElement(
        node.tag,
        { id: node.id },
        children,
        <Link
          to={{ hash: `#${node.id}` }}
          className={classes['anchor']}
          aria-label={`Link to ${node.children.map(plainText).join('')}`}
        >
          #
        </Link>,
      );
    default:
      return createElement(node.tag, node.start === undefined ? null : { start: node.start }, children);
  }
};

const plainText = (node: DocsNode): string =>
  typeof node === 'string' ? node : 'code' in node ? node.code : node.children.map(plainText).join('');

/** Addresses in the text are those of the reader's hub, as in the blocks. */
function InlineCode({ text }: { text: string }) {
  return <code>{fillReaderAddress(text, useReader().values.address)}</code>;
}

/** A link to a page or an anchor stays in the window; others open beside it. */
function DocsAnchor({ href, children }: { href: string; children: ReactNode }) {
  if (/^[a-z]+:/.test(href)) {
    const own = href.replace(/^http:\/\/127\.0\.0\.1:3003(?=\/|$)/, location.origin);
    return (
      <a href={own} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  return <Link to={href.startsWith('#') ? { hash: href } : paths.docs(href)}>{children}</Link>;
}
