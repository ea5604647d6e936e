/** The service of a round: it misbehaves by the round's own chance, and tells the killer what it has just done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { InjectedFault, Sandbox, SandboxServerOptions } from '../../src/sandbox/index.ts';
import { service } from '../support/program.ts';
import { between } from './random.ts';
import { POISON } from './rows.ts';

type Incoming = Parameters<NonNullable<SandboxServerOptions['injectFault']>>[0];

/** What has just been done to a batch: refused so that it is split, told to wait, or anything. */
export type Happening = 'split' | 'wait' | 'request';

export interface Chances {
  /** Of an answer of 429, and how long it asks to wait, in seconds. */
  readonly wait: number;
  readonly waitS: string;
}

export interface World {
  readonly there: Sandbox;
  /** Answers so instead, as long as it is set. */
  instead: ((incoming: Incoming) => InjectedFault | undefined) | undefined;
  /** Resolves when it happens for the n-th time from now on, and so many milliseconds later. */
  when(happening: Happening, times: number, laterMs: number): Promise<void>;
}

export async function createWorld(random: () => number, chances: Chances): Promise<World> {
  const waiting = new Set<{ happening: Happening; left: number; tell: () => void }>();
  const tell = (happened: Happening): void => {
    for (const one of waiting) {
      if (one.happening !== happened) continue;
      one.left -= 1;
      if (one.left > 0) continue;
      waiting.delete(one);
      one.tell();
    }
  };
  const misbehave = (incoming: Incoming): InjectedFault | undefined => {
    if (world.instead !== undefined) return world.instead(incoming);
    const { elements, records } = incoming;
    const chance = random();
    if (JSON.stringify(elements).includes(POISON)) return { status: 422 };
    if (records > 60 && chance > 0.97) return { status: 413 };
    if (chance < chances.wait) return { status: 429, headers: { 'retry-after': chances.waitS } };
    const rest = chance - chances.wait;
    if (rest < 0.03) return { status: 500 };
    if (rest < 0.05) return { reset: 'after-headers' };
    if (rest < 0.07) return { status: 503, headers: { 'retry-after': '0' } };
    // Taken in, and the answer says otherwise.
    if (rest < 0.08) return { status: 502, processed: true };
    return { latencyMs: between(random, 0, 40) };
  };
  const there = await service({
    injectFault: (incoming) => {
      const behaviour = misbehave(incoming);
      const status = behaviour !== undefined && 'status' in behaviour ? behaviour.status : undefined;
      tell('request');
      if (status === 413 || status === 422) tell('split');
      if (status === 429) tell('wait');
      return behaviour;
    },
  });
  const world: World = {
    there,
    instead: undefined,
    when: (happening, times, laterMs) =>
      new Promise<void>((resolve) => {
        waiting.add({ happening, left: times, tell: resolve });
      }).then(() => sleep(laterMs)),
  };
  return world;
}
