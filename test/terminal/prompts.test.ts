import { describe, expect, it } from 'vitest';
import { Cancelled } from '../../src/questions/question.ts';
import { createPrompts } from '../../src/terminal/prompts.ts';
import { fakeStreams } from '../support/fake-terminal.ts';

const ENTER = '\r';
const DOWN = `${String.fromCharCode(0x1b)}[B`;
const key = (name: string) => String.fromCharCode(name.charCodeAt(0) - 96);

describe('prompts', () => {
  it('draw on stderr and leave stdout alone', async () => {
    const fake = fakeStreams({ terminal: true });
    fake.answer('Your name?', `Ada${ENTER}`);
    expect(await createPrompts(fake).text('Your name?')).toBe('Ada');
    expect(fake.out()).toBe('');
  });

  it('offer a text to edit, and check it', async () => {
    const fake = fakeStreams({ terminal: true });
    fake.answer('Address?', `x${ENTER}`);
    const seen: string[] = [];
    const answer = await createPrompts(fake).text('Address?', {
      initial: 'https://x.example/',
      check: (text) => {
        seen.push(text);
        return undefined;
      },
    });
    expect(answer).toBe('https://x.example/x');
    expect(seen).toEqual(['https://x.example/x']);
  });

  it('ask again after an invalid answer', async () => {
    const fake = fakeStreams({ terminal: true });
    fake.answer('Number?', `x${ENTER}`);
    fake.answer('no number', `${key('u')}7${ENTER}`);
    const answer = await createPrompts(fake).text('Number?', {
      check: (text) => (/^\d+$/.test(text) ? undefined : 'no number'),
    });
    expect(answer).toBe('7');
  });

  it('never show a hidden answer', async () => {
    const fake = fakeStreams({ terminal: true });
    fake.answer('Key?', `zebra7${ENTER}`);
    expect(await createPrompts(fake).askHidden('Key?')).toBe('zebra7');
    expect(fake.err()).not.toMatch(/[zbr]/);
  });

  it('return one of the choices', async () => {
    const fake = fakeStreams({ terminal: true });
    fake.answer('Which?', `${DOWN}${ENTER}`);
    const answer = await createPrompts(fake).select('Which?', [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ]);
    expect(answer).toBe('b');
  });

  it.each(['c', 'd'])('throw Cancelled on Ctrl-%s', async (letter) => {
    const fake = fakeStreams({ terminal: true });
    fake.answer('Key?', `hun${key(letter)}`);
    await expect(createPrompts(fake).askHidden('Key?')).rejects.toThrow(Cancelled);
    expect(fake.err()).not.toContain('hun');
  });

  it('throw Cancelled if the terminal closes', async () => {
    const fake = fakeStreams({ terminal: true });
    const answer = createPrompts(fake).text('Name?');
    setTimeout(() => fake.stdin.end(), 20);
    await expect(answer).rejects.toThrow(Cancelled);
  });

  it('throw Cancelled if the signal aborts', async () => {
    const fake = fakeStreams({ terminal: true });
    const stop = new AbortController();
    const answer = createPrompts({ ...fake, signal: stop.signal }).text('Name?');
    setTimeout(() => stop.abort(), 20);
    await expect(answer).rejects.toThrow(Cancelled);
  });
});
