import type { JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import type { Counts } from './counts.js';
import type { Format } from './format.js';
import type { MemberPath } from './member-path.js';
import type { PromptFields } from './prompt-fields.js';
import type { Vendor } from './vendor.js';

/** What the address of a call says, where the body does not. */
export interface Address {
  readonly model?: string;
  readonly stream?: boolean;
}

/** What is wrong with a body. */
interface BodyFault {
  readonly field: string;
  readonly rule: string;
  readonly received: unknown;
}

/** What an event of a stream, or a whole answer, says of the usage. */
export interface UsageStatement {
  /** The object as the provider wrote it. */
  readonly usage: unknown;
  /** Whether it is the provider's last word. */
  readonly isFinal: boolean;
  /** Whether it only has some of the fields, and those of events before it stay. */
  readonly isPart?: boolean;
}

/** What a reader of an answer keeps between its events. */
export interface AnswerProgress {
  /** Whether a choice has ended. A usage before that is a sum so far. */
  hasFinished: boolean;
}

/**
 * All that the package knows of one dialect of a model API. The layers above ask the record, and know no dialect by its name.
 * A dialect is added by a record and its name in `FORMATS`.
 */
export interface Dialect {
  readonly format: Format;
  /** Whose errors and header fields its clients read. */
  readonly vendor: Vendor;

  /** Returns what the address says if its path is that of a call; undefined if it is not. See `readPath`. */
  address(path: string): Address | undefined;
  /** Present if only the address names the model. What a body says of it is then left as it is. */
  readonly isModelInAddress?: true;
  /** Whether a body can be of this dialect. The records are asked in order. */
  recognizes(body: JsonObject, model: string): boolean;
  /** Returns the dialect of a body, and of the model in the address, where several have the same address. Absent: it is this one. */
  variant?(body: JsonObject, model: string): Dialect;
  /** Returns what a file in a form is to the model, as a part of the body. Absent: bodies are no forms. */
  fileInForm?(file: Uint8Array): JsonObject;
  /** Returns what is wrong with the list that each call needs; undefined if nothing is. */
  fault(body: JsonObject): BodyFault | undefined;

  /** Returns what keeps the answer to a body from stating its usage; undefined if nothing does. Absent: all answers state it. */
  unmetered?(body: JsonObject): BodyFault | undefined;
  /** Returns the characters of the text that is spoken. Absent: none is. */
  characters?(body: JsonObject): number;

  /** The members that cap the output of one choice. The first is added if the caller set none. Empty: there is no output, or none that could be capped. */
  readonly caps: readonly MemberPath[];
  /** Present if nobody knows which member caps a body that states no cap. The price of the model has to say how much there can be. */
  readonly addsNoCap?: true;
  /** The rate of the output, if it is images or sound. No member caps it, so only the price of the model says how much there can be. */
  readonly mediaRate?: 'imageOutput' | 'audioOutput';
  /** Present if a model may answer with images or sound that the body does not ask for. */
  readonly mediaUnasked?: true;
  /** The rate that the price of a model has to have, because its prompts are sound. */
  readonly inputRate?: 'audioInput';
  /** Members that say how much output there may be, and cap nothing by themselves. */
  readonly raisesCap: readonly MemberPath[];
  /** The members that say how many answers there are of a prompt. The largest counts. */
  readonly choices: readonly MemberPath[];
  /** Returns how many prompts the body has. Absent: one. */
  prompts?(body: JsonObject): number;

  /**
   * Members that mean something else in this dialect, or only here ask for work without a price. Each says whether its value does. Absent:
   * none.
   */
  readonly unpriced?: Readonly<Record<string, (value: unknown) => boolean>>;

  /** What the fields of the body mean to the model. */
  readonly prompt: PromptFields;
  /** Returns the tools of the body. Absent: its member `tools`. */
  tools?(body: JsonObject): unknown;
  /** Whether the body continues something that only the provider has. */
  namesHistory(body: JsonObject): boolean;

  /** The member by which a stream is asked to state its usage. Absent: streams state it unasked. */
  readonly usageSwitch?: MemberPath;
  /** Returns what the header fields of an answer say of the usage, as an event would. Absent: they say nothing. */
  headerEvent?(headers: Headers): JsonObject;
  /** Returns what an event or a whole answer says of the usage; undefined if it is not of this dialect, or says nothing. */
  statement(event: JsonObject, progress: AnswerProgress): UsageStatement | undefined;
  /**
   * Gives a usage its one meaning; undefined if its fields are not those of this dialect.
   *
   * @param isKnown - whether the answer is known to be of this dialect
   */
  usage(counts: Counts, stated: JsonObject, isKnown: boolean): Usage | undefined;
  /**
   * Says each text of output that an event of a stream carries: text, refusals, thoughts and arguments of tools. Returns whether the event
   * is of this dialect. It runs for each chunk of a stream, so it makes no lists.
   */
  readOutput(event: JsonObject, say: Say): boolean;
}

/** Takes a text of output. Anything else is ignored. */
export type Say = (text: unknown) => void;
