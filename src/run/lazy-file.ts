/** A file that is created with its first line, so that an empty one means nothing went wrong. */
import { type AppendFile, type AppendOptions, openAppend } from '../journal/append-file.ts';

export interface LazyFile {
  /** Opens the file once, however many callers wait for it. */
  open(): Promise<AppendFile>;
  /** Length in bytes; 0 if it was never opened, and the last length after it was closed. */
  readonly length: number;
  close(): Promise<void>;
}

export function createLazyFile(path: string, options: AppendOptions): LazyFile {
  let opening: Promise<AppendFile> | undefined;
  let file: AppendFile | undefined;
  let closedLength = 0;
  return {
    open() {
      opening ??= openAppend(path, options).then((opened) => {
        file = opened;
        return opened;
      });
      return opening;
    },
    get length() {
      return file?.length ?? closedLength;
    },
    async close() {
      closedLength = file?.length ?? closedLength;
      await file?.close();
      opening = undefined;
      file = undefined;
    },
  };
}
