import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { PlaygroundRun } from '../../api/contract.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { formatBytes } from '../../lib/format-number.ts';
import { isJson } from '../../lib/json-digits.ts';
import { saveFile } from '../../lib/save-file.ts';
import classes from './Playground.module.css';

type ShownResponse = NonNullable<PlaygroundRun['response']>;

const typeOf = ({ headers }: ShownResponse): string =>
  headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';

const ENDINGS: ReadonlyArray<readonly [type: RegExp, ending: string]> = [
  [/json/i, '.json'],
  [/xml/i, '.xml'],
  [/^text\/html/i, '.html'],
  [/^text\/csv/i, '.csv'],
  [/^text\//i, '.txt'],
  [/^application\/pdf/i, '.pdf'],
  [/^image\/png/i, '.png'],
  [/^image\/jpeg/i, '.jpg'],
];

/** The name of a saved body: the last part of the path, with an ending by its type. */
export function responseName({ request, response }: PlaygroundRun): string {
  const path = request.kind === 'proxy' ? request.endpoint.replace(/[?#].*$/, '') : '';
  const last = path.split('/').findLast((part) => part !== '') ?? 'response';
  const ending = response && ENDINGS.find(([type]) => type.test(typeOf(response)))?.[1];
  return /\.\w+$/.test(last) || ending === undefined ? last : last + ending;
}

/** How large the body is, as exactly as it is known. */
export const sizeText = ({ isCut, isSizeKnown, sizeBytes }: ShownResponse): string =>
  `${isCut && !isSizeKnown ? 'More than ' : ''}${formatBytes(sizeBytes)}`;

/** The body of a provider's answer: JSON that folds, other text as it came, a picture, or a file to save. */
export function ResponseView({ response, name }: { response: ShownResponse; name: string }) {
  const { base64, body, isCut, isText } = response;
  const type = typeOf(response);
  const isShownAsJson = isText && isJson(body);
  const isPicture = !isText && !isCut && base64 !== null && /^image\/(png|jpeg|gif|webp|avif)\b/i.test(type);
  const isEmpty = isText && body === '';
  return (
    <>
      {isShownAsJson && <JsonViewer json={body} label="body" />}
      {isText && !isShownAsJson && (
        <pre className={`breaks scroll sunken pre-wrap ${classes['text']}`}>{body || 'The response is empty.'}</pre>
      )}
      {isPicture && (
        <img
          className="frame"
          style={{ maxWidth: '100%', maxHeight: 320 }}
          alt="The response"
          src={`data:${type};base64,${base64}`}
        />
      )}
      {!isText && (
        <p className="soft note pt-12 pb-12">
          {sizeText(response)} of {type || 'an unknown type'}. The response is not text.
        </p>
      )}
      {isCut && (
        <p className="soft note pt-12 pb-12">
          {isText ? 'The response is longer; its beginning is shown.' : 'Only its beginning was read.'} For all of it,
          copy the call as curl under Code.
        </p>
      )}
      {!isEmpty && (isText || base64 !== null) && (
        <p className="soft note pt-12 pb-12">
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconDownload size={14} stroke={1.6} aria-hidden />}
            onClick={() =>
              saveFile(
                name,
                new Blob([isText ? body : bytesOf(base64 ?? '')], { type: type || 'application/octet-stream' }),
              )
            }
          >
            {isCut ? 'Save the beginning' : 'Save the body'}
          </Button>
        </p>
      )}
    </>
  );
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** One row per header; a name that came twice has two. */
export function ResponseHeaders({ response }: { response: ShownResponse }) {
  return (
    <>
      <table className={`small table ${classes['headers']}`}>
        <caption className="visually-hidden">Response headers</caption>
        <tbody>
          {response.headers.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: headers never change, and a name may come twice
            <tr key={index}>
              <th className="name one-line" scope="row">
                {name}
              </th>
              <td className="mono breaks">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <CopyButton
        value={response.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
        label="Copy all headers"
      />
    </>
  );
}
