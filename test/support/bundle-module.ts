/** Bundles one module of src/ into a file that a child process can import. */
import path from 'node:path';
import { rolldown } from 'rolldown';

/** @returns the path of the bundle in `folder` */
export async function bundleModule(source: string, folder: string): Promise<string> {
  const file = path.join(folder, `${path.basename(source, '.ts')}.mjs`);
  const bundle = await rolldown({ input: path.join(import.meta.dirname, '..', '..', source), platform: 'node' });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return file;
}
