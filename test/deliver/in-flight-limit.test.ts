import { expect, test } from 'vitest';
import { InFlightLimit } from '../../src/deliver/in-flight-limit.ts';

test('is full with so many batches, or with fewer that are large', () => {
  const room = new InFlightLimit(2);
  room.enter(10);
  expect(room.isFull).toBe(false);
  room.enter(10);
  expect(room.isFull).toBe(true);
  room.leave(10);
  expect(room.isFull).toBe(false);
  room.leave(10);
  room.enter(64 * 1024 * 1024);
  expect(room.isFull).toBe(true);
});

test('wakes who waits behind the turn in which a batch ended, when requests that are ready have left', async () => {
  const room = new InFlightLimit(1);
  room.enter(1);
  const order: string[] = [];
  const woken = room.change().then(() => order.push('reader'));
  // As undici does it: a connection is given out again at the end of the turn.
  setImmediate(() => {
    room.leave(1);
    setImmediate(() => order.push('next turn'));
    queueMicrotask(() => order.push('request'));
  });
  setImmediate(() => order.push('another request'));
  await woken;
  expect(order).toEqual(['request', 'another request', 'reader']);
});

test('is empty when the last batch has ended', async () => {
  const room = new InFlightLimit(4);
  await room.empty();
  room.enter(1);
  room.enter(1);
  let empty = false;
  const emptied = room.empty().then(() => {
    empty = true;
  });
  room.leave(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(empty).toBe(false);
  room.leave(1);
  await emptied;
});
