import { expect, it } from 'vitest';
import { ArrivingContent } from './arriving-content.ts';

const content = (sha256: string, size: number) => ({ sha256, size });

it('arriving content shares the room of its organization, and frees it when it has arrived', () => {
  const arriving = new ArrivingContent();
  const end = arriving.take('ours', content('a', 60), 100);
  expect(end).not.toBeNull();
  expect(arriving.take('ours', content('b', 41), 100)).toBeNull();
  expect(arriving.take('theirs', content('b', 100), 100)).not.toBeNull();
  expect(arriving.take('ours', content('c', 40), 100)).not.toBeNull();
  end?.();
  expect(arriving.take('ours', content('b', 60), 100)).not.toBeNull();
});

it('arriving content that is sent twice counts once, until the last sender has ended', () => {
  const arriving = new ArrivingContent();
  const ends = [arriving.take('ours', content('a', 60), 100), arriving.take('ours', content('a', 60), 100)];
  ends[0]?.();
  expect(arriving.take('ours', content('b', 60), 100)).toBeNull();
  ends[1]?.();
  expect(arriving.take('ours', content('b', 60), 100)).not.toBeNull();
});

it('empty content always arrives, also at an organization that has more than it may', () => {
  expect(new ArrivingContent().take('ours', content('a', 0), -5)).not.toBeNull();
});
