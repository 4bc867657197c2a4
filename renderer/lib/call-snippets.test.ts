import { describe, expect, it } from 'vitest';
import { callSnippets, type SnippetCall } from './call-snippets.ts';

const target = { apiUrl: 'http://127.0.0.1:3003', integrationKey: 'crm', connectionId: "o'neil" };
const codeOf = (call: SnippetCall['call'], language: string): string =>
  callSnippets({ ...target, call }).find((one) => one.language === language)?.code ?? '';

describe('callSnippets', () => {
  it('quotes text for a shell, and contains no key', () => {
    const code = codeOf({ kind: 'action', name: 'send', input: { text: "it's" } }, 'curl');

    expect(code).toContain(`-H 'Connection-Id: o'\\''neil'`);
    expect(code).toContain(`it'\\''s`);
    expect(code).toContain('Bearer $HOMEPORT_SECRET_KEY');
  });

  it('holds the key where it is given', () => {
    const call = { kind: 'proxy', method: 'GET', endpoint: '/a', headers: {}, body: undefined } as const;
    const codes = callSnippets({ ...target, call, secretKey: 'k-1' }).map(({ code }) => code);

    expect(codes.every((code) => code.includes('k-1') && !code.includes('HOMEPORT_SECRET_KEY'))).toBe(true);
    expect(codes.join()).not.toContain('import os');
    expect(codes.join()).toContain('apiKey: "k-1"');
    expect(codes.join()).not.toContain('secretKey');
  });

  it('sends the headers of a proxy request on', () => {
    const call = {
      kind: 'proxy',
      method: 'GET',
      endpoint: '/v1/a?b=1',
      headers: { Accept: 'x' },
      body: undefined,
    } as const;

    expect(codeOf(call, 'curl')).toContain(`'http://127.0.0.1:3003/proxy/v1/a?b=1'`);
    expect(codeOf(call, 'curl')).toContain(`'Nango-Proxy-Accept: x'`);
    expect(codeOf(call, 'Node')).toContain('nango.proxy(');
  });

  it('uses the calls of the official client', () => {
    expect(codeOf({ kind: 'action', name: 'send', input: undefined }, 'Node')).toContain(
      `nango.triggerAction("crm", "o'neil", "send");`,
    );
    expect(codeOf({ kind: 'sync', name: 'items', variant: 'base', isFull: true }, 'Node')).toContain(
      `nango.triggerSync("crm", ["items"], "o'neil", 'full_refresh');`,
    );
    expect(codeOf({ kind: 'sync', name: 'items', variant: 'base', isFull: false }, 'Python')).toContain(
      '/sync/trigger',
    );
  });

  it('names the base address and the retries of a request, where there are any', () => {
    const call = {
      ...({ kind: 'proxy', method: 'GET', endpoint: '/a', headers: {}, body: undefined } as const),
      baseUrl: 'https://eu.example.com',
      retries: 3,
    };

    expect(codeOf(call, 'curl')).toContain(`-H 'Base-Url-Override: https://eu.example.com'`);
    expect(codeOf(call, 'curl')).toContain(`-H 'Retries: 3'`);
    expect(codeOf(call, 'Node')).toContain('"baseUrlOverride": "https://eu.example.com"');
    expect(codeOf({ ...call, retries: 0 }, 'curl')).not.toContain('Retries');
  });

  it('reads records with the names of the API, and with those of the client', () => {
    const query = { model: 'Contact', modifiedAfter: '2026-01-01T00:00:00.000Z', ids: ['a', 'b'] };
    const call: SnippetCall['call'] = { kind: 'records', query };

    expect(codeOf(call, 'curl')).toContain(
      '/records?model=Contact&modified_after=2026-01-01T00%3A00%3A00.000Z&ids=a&ids=b',
    );
    expect(codeOf(call, 'Node')).toContain('nango.listRecords(');
    expect(codeOf(call, 'Node')).toContain('"modifiedAfter"');
  });

  it('prints what the hub answers', () => {
    const proxy = { kind: 'proxy', method: 'GET', endpoint: '/a', headers: {}, body: undefined } as const;
    const records = { kind: 'records', query: { model: 'Contact' } } as const;
    const action = { kind: 'action', name: 'send', input: undefined } as const;

    for (const call of [proxy, records, action]) expect(codeOf(call, 'Node')).toMatch(/console\.log\(\w+\);$/);
    expect(codeOf(proxy, 'Python')).toMatch(/print\(response\.text\)$/);
  });

  it('sends a body as it is, and expects none of a HEAD request', () => {
    const body = '@日本';
    const post = { kind: 'proxy', method: 'POST', endpoint: '/a', headers: {}, body } as const;

    expect(codeOf(post, 'curl')).toContain(`--data-raw '@日本'`);
    expect(codeOf(post, 'Python')).toContain('data="@日本".encode(),');
    const head = codeOf({ ...post, method: 'HEAD', body: undefined }, 'curl');
    expect(head).toContain("curl --head 'http");
    expect(head).not.toContain('-X');
  });

  it('sends a form, a text and parts with files as what they are', () => {
    const post = { kind: 'proxy', method: 'POST', endpoint: '/a', headers: {}, body: undefined } as const;
    const fields = [
      { name: 'a', value: '@ü 1' },
      { name: 'f', value: '', file: { name: 'a "b".txt', type: 'text/plain' } },
    ];
    const form = { ...post, bodyType: 'form', fields: fields.slice(0, 1) } as const;
    const parts = { ...post, bodyType: 'multipart', fields } as const;
    const text = { ...post, bodyType: 'text', body: 'x' } as const;

    expect(codeOf(form, 'curl')).toContain("-H 'Content-Type: application/x-www-form-urlencoded'");
    expect(codeOf(form, 'curl')).toContain("--data-raw 'a=%40%C3%BC+1'");
    expect(codeOf(form, 'Node')).toContain('"data": "a=%40%C3%BC+1"');
    expect(codeOf(text, 'Python')).toContain('"Content-Type": "text/plain; charset=utf-8"');
    expect(codeOf(parts, 'curl')).not.toContain('Content-Type: ');
    expect(codeOf(parts, 'curl')).toContain("--form-string 'a=@ü 1'");
    expect(codeOf(parts, 'curl')).toContain(`-F 'f=@"a \\"b\\".txt";type=text/plain'`);
    expect(codeOf(parts, 'Node')).toContain('data: form });');
    expect(codeOf(parts, 'Python')).toContain('("f", ("a \\"b\\".txt", open("a \\"b\\".txt", "rb"), "text/plain")),');
  });
});
