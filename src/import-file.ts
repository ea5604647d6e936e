/**
 * Loads a module of the user's. In a file of its own, for V8 loses, in code that was compiled before, who is to be
 * asked for a module: src/load.ts gives this one to Node as it is.
 */

/** What the module exports. @param url of the file. @throws whatever the module throws */
export async function importFile(url: string): Promise<unknown> {
  return import(url);
}
