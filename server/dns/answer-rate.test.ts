import { describe, expect, it } from 'vitest';
import { AnswerRate } from './answer-rate.ts';

describe('the rate of answers', () => {
  it('lets a burst through, then alternates short answers with silence, and recovers over time', () => {
    const rate = new AnswerRate(10, 3, 1_000);
    const take = (count: number, now: number) =>
      Array.from({ length: count }, () => rate.take('192.0.2.1', now));
    expect(take(7, 1_000)).toEqual([
      'answer',
      'answer',
      'answer',
      'truncate',
      'nothing',
      'truncate',
      'nothing',
    ]);
    expect(take(3, 1_200)).toEqual(['answer', 'answer', 'truncate']);
    expect(take(4, 60_000)).toEqual(['answer', 'answer', 'answer', 'nothing']);
  });

  it('counts networks separately, and takes nothing away when the clock steps back', () => {
    const rate = new AnswerRate(10, 1, 1_000);
    expect(rate.take('192.0.2.1', 1_000)).toBe('answer');
    expect(rate.take('192.0.2.200', 1_000)).toBe('truncate');
    expect(rate.take('198.51.100.1', 1_000)).toBe('answer');
    expect(rate.take('203.0.113.1', 500)).toBe('answer');
    expect(rate.take('203.0.113.1', 700)).toBe('answer');
  });
});
