import { describe, expect, it } from 'vitest';
import { formToJson } from './form-json.ts';

const json = (form: string, charset?: string): string => formToJson(Buffer.from(form, 'latin1'), charset);

describe('formToJson', () => {
  it.each([
    ['', '{}'],
    ['a=1&b=x+y%20z', '{"a":"1","b":"x y z"}'],
    ['a=1&a=2&b=3&a=4', '{"a":["1","2","4"],"b":"3"}'],
    ['ids[]=7', '{"ids":["7"]}'],
    ['a[1]=y&a[0]=x', '{"a":["x","y"]}'],
    ['a[999999999]=x', '{"a":["x"]}'],
    ['a[b][c]=1&a[b][d]=2', '{"a":{"b":{"c":"1","d":"2"}}}'],
    ['a[][b]=1&a[][b]=2', '{"a":[{"b":"1"},{"b":"2"}]}'],
    ['b=1&10=x&2=y', '{"b":"1","10":"x","2":"y"}'],
    ['__proto__=1&a[__proto__]=2&constructor=3', '{"__proto__":"1","a":{"__proto__":"2"},"constructor":"3"}'],
    ['a%5B%5D=1&a%5b%5d=2', '{"a":["1","2"]}'],
    ['a&b=&=c', '{"a":"","b":"","":"c"}'],
    ['a[=1&[b]=2&c]=3', '{"a[":"1","[b]":"2","c]":"3"}'],
    ['n=738529527931269425&p=100%', '{"n":"738529527931269425","p":"100%"}'],
    ['a=%00%22', '{"a":"\\u0000\\""}'],
    ['a=x&a[b]=y', '{"a":["x",{"b":"y"}]}'],
  ])('reads %s', (form, text) => {
    expect(json(form)).toBe(text);
  });

  it.each([20, 21, 100, 101, 1001, 2001])('keeps a list of %d values a list', (count) => {
    const values = Array.from({ length: count }, (_, at) => String(at));

    for (const name of ['ids[]', 'ids']) {
      const form = values.map((value) => `${name}=${value}`).join('&');
      expect(JSON.parse(json(form))).toEqual({ ids: values });
    }
    expect(JSON.parse(json(values.map((value) => `ids[${value}]=${value}`).join('&')))).toEqual({ ids: values });
  });

  it('reads the charset of the content type, in escapes and in plain bytes', () => {
    expect(json('a=caf%E9&b=\xe9', 'iso-8859-1')).toBe('{"a":"café","b":"é"}');
    expect(json('a=caf%C3%A9')).toBe('{"a":"café"}');
  });

  it('says that bytes are no text instead of dropping them', () => {
    expect(() => json('a=%E9')).toThrow('The body is not text in utf-8');
  });

  it('says that a limit is reached', () => {
    expect(() => json('a=1&'.repeat(10_001))).toThrow('more than 10000 fields');
    expect(() => json(`a${'[b]'.repeat(33)}=1`)).toThrow('more than 32 levels');
  });
});
