/**
 * Single-line changes that would lose rows, send events twice or lie about them. The simulation should find each
 * (`npm run simulate:mutants`).
 */

export interface Mutant {
  /** What the program then does. */
  readonly does: string;
  /** Occurs once in src/. */
  readonly find: string;
  readonly replace: string;
}

export const mutants: readonly Mutant[] = [
  {
    does: 'sends before the line of the attempt is in the journal',
    find: '    await runFiles.journal.append(event);\n    // This process',
    replace: '    void runFiles.journal.append(event);\n    // This process',
  },
  {
    does: 'takes a request that was lost on its way for one that was not sent',
    find: 'if (result.left) return maybeProcessed(',
    replace: 'if (result.left && result.message === undefined) return maybeProcessed(',
  },
  {
    does: 'sends events again whose answer was lost',
    find: 'if (contract.deduplicates || resendUnknown) return { do: ',
    replace: 'if (true) return { do: ',
  },
  {
    does: 'takes a 403 after a resume for a refused key',
    find: 'anyDelivered: totals.delivered + (options.deliveredBefore ?? 0) > 0,',
    replace: 'anyDelivered: totals.delivered > 0,',
  },
  {
    does: 'takes an answer that was cut off for a whole one',
    find: 'const receipt = answer.whole ? situation.contract.receiptOf(parseJson(answer.body)) : undefined;',
    replace:
      "const receipt = situation.contract.receiptOf(parseJson(answer.body)) ?? (answer.whole ? undefined : { batchId: '' });",
  },
  {
    does: 'does not wait until the journal has what was delivered',
    find: "        await this.#settle('delivered', decision);",
    replace: "        void this.#settle('delivered', decision);",
  },
  {
    does: 'calls a batch refused although an attempt of it may have been processed',
    find: "const outcome = this.#maybeProcessed ? 'unknown' : failure;",
    replace: 'const outcome = failure;',
  },
  {
    does: 'forgets, when it splits a batch, that it may have been processed',
    find: 'await new BatchDelivery(this.#shared, part, { attempts: 0, maybeProcessed, isPart: true }).run();',
    replace: 'await new BatchDelivery(this.#shared, part, { attempts: 0, maybeProcessed: false, isPart: true }).run();',
  },
  {
    does: 'reads an attempt without a result as one that was not sent',
    find: '      batch.maybeProcessed = true;\n      return NO_CHANGES;',
    replace: '      return NO_CHANGES;',
  },
  {
    does: 'lists the parts of a split batch under wrong keys',
    find: '    start = end;\n  }\n  return changes;',
    replace: '  }\n  return changes;',
  },
  {
    does: 'leaves the rows of a failed write in the journal',
    find: '    await this.#handle.truncate(this.#written);\n    this.#failure = undefined;',
    replace: '    this.#failure = undefined;',
  },
  {
    does: 'writes on behind a line that was not written whole',
    find: '      this.#failure = { error };\n      group.reject(error);',
    replace: '      group.reject(error);',
  },
  {
    does: 'repeats a write on a full disk without cutting off what the failed one left',
    find: '    // The failed write may have written a part of a line.\n    await this.#handle.truncate(this.#written);',
    replace: '',
  },
  {
    does: 'writes only what one system call takes',
    find: '  for (let done = 0; done < bytes.byteLength; ) {\n    done += writeSync(',
    replace: '  for (let done = 0, calls = 0; calls < 1; calls += 1) {\n    done += writeSync(',
  },
  {
    does: 'does not wait for the disk',
    find: '        writeAll(this.#handle.fd, bytes);\n        if (isSynced) await this.#handle.datasync();\n      } catch (error) {\n        if (!isSynced)',
    replace: '        writeAll(this.#handle.fd, bytes);\n      } catch (error) {\n        if (!isSynced)',
  },
  {
    does: 'counts the bytes of a journal in characters',
    find: 'throw damaged(file, number);\n    bytes += Buffer.byteLength(text) + 1;',
    replace: 'throw damaged(file, number);\n    bytes += text.length;',
  },
  {
    does: 'keeps an incomplete last line when it resumes',
    find: '        await journal.truncate(bytes);',
    replace: '',
  },
  {
    does: 'lists rows again that the rejects files have',
    find: '        if (mark !== undefined) await rejects.restore(mark);',
    replace: '',
  },
  {
    does: 'removes the payloads of batches that were not delivered',
    find: '        await undelivered.retain((batch) => runState.undelivered.has(batch));',
    replace: '        await undelivered.retain(() => false);',
  },
  {
    does: 'lets two processes work on one run',
    find: "  return existence === 'exists' || (existence === 'unclear' && (await showsHeartbeat(folder, lock, options)));",
    replace: '  return false;',
  },
  {
    does: 'takes over from another machine without watching its lock',
    find: "  return existence === 'exists' || (existence === 'unclear' && (await showsHeartbeat(folder, lock, options)));",
    replace: "  return existence === 'exists';",
  },
  {
    does: 'does not look at its lock after a pause',
    find: '      if (sinceMs > CONFIRM_MS) beat();',
    replace: '',
  },
  {
    does: 'ignores what other runs have sent',
    find: 'const sent = isForced ? NONE : await this.find(keys);',
    replace: 'const sent = NONE;',
  },
  {
    does: 'ignores what other runs are about to send',
    find: '      const isHeld = owner !== undefined && !owner.hasEnded;',
    replace: '      const isHeld = false;',
  },
  {
    does: 'forgets what a killed process has sent',
    find: '      batches.addInFlight(runState);\n      return true;',
    replace: '      return true;',
  },
  {
    does: 'gives up the claims of a process that lives',
    find: '  return lockHolder(folder) !== undefined;',
    replace: '  return false;',
  },
  {
    does: 'sends a batch again without taking out what others have sent since',
    find: '    const rest = await this.#reduce(batch, state);',
    replace: '    const rest = batch;',
  },
  {
    does: 'stores no payload of a batch that was not delivered',
    find: '    await this.#shared.keep(this.#batch, outcome, isOneRecord ? this.#error : undefined);',
    replace: '',
  },
  {
    does: 'reopens a batch without writing that down',
    find: "    if (state !== 'pending') {\n      await recorder.record(",
    replace: "    if (state !== 'pending') {\n      recorder.apply(",
  },
  {
    does: 'says complete although batches are pending',
    find: 'const isDone = lost.length === 0 && runState.rows.pending === 0 && runState.sources.every((source) => source.ended);',
    replace: 'const isDone = lost.length === 0;',
  },
  {
    does: 'sends one request more than the rate allows',
    find: 'this.#rateLimiter?.earliest(waiting) ?? 0',
    replace: '0',
  },
  {
    does: 'resumes a journal that has lost its end',
    find: '  if (!again) recordedEnd.assertReached(runState);',
    replace: '',
  },
];
