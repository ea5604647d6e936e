import { expect, test } from 'vitest';
import { stateFolder } from '../../src/options/state-folder.ts';

test.each([
  ['SIGNALS_STATE_DIR', { SIGNALS_STATE_DIR: '/here', XDG_STATE_HOME: '/xdg', HOME: '/home/a' }, '/here'],
  ['XDG_STATE_HOME', { XDG_STATE_HOME: '/xdg', HOME: '/home/a' }, '/xdg/signals'],
  ['not a relative XDG_STATE_HOME', { XDG_STATE_HOME: 'xdg', HOME: '/home/a' }, '/home/a/.local/state/signals'],
  ['the home folder', { HOME: '/home/a', SIGNALS_STATE_DIR: '' }, '/home/a/.local/state/signals'],
])('the state folder follows %s', (_what, env, expected) => {
  expect(stateFolder(env, 'linux')).toBe(expected);
});

test('the state folder is where each system has one', () => {
  expect(stateFolder({ HOME: '/Users/a' }, 'darwin')).toBe('/Users/a/Library/Application Support/signals');
  const local = { LOCALAPPDATA: '/local', HOME: '/home/a' };
  expect(stateFolder(local, 'win32')).toBe('/local/signals/State');
});
