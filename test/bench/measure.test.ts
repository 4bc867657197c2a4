import { describe, expect, it } from 'vitest';
import { FakeProvider } from '../support/fake-provider.ts';
import { alternate, median, medianLatency } from './measure.ts';

describe('median', () => {
  it('takes the middle, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

describe('alternate', () => {
  it('measures in turn and gives the median of each side', async () => {
    const order: string[] = [];
    const side = (name: string, values: number[]) => async () => {
      order.push(name);
      return values.shift() ?? 0;
    };

    const result = await alternate(3, side('ours', [3, 1, 2]), side('baseline', [30, 10, 20]));

    expect(result).toEqual({ ours: 2, baseline: 20 });
    expect(order).toEqual(['ours', 'baseline', 'ours', 'baseline', 'ours', 'baseline']);
  });
});

describe('medianLatency', () => {
  it('measures answers and refuses failed ones', async () => {
    const provider = await FakeProvider.start();
    provider.on('GET /ok', { body: {} }).on('GET /bad', { status: 500 });
    try {
      expect(await medianLatency({ url: `${provider.address}/ok` }, 5)).toBeGreaterThan(0);
      await expect(medianLatency({ url: `${provider.address}/bad` }, 5)).rejects.toThrow('answered 500');
    } finally {
      await provider.stop();
    }
  });
});
