// Writes statements of TypeScript out as lines of Lua: see inline.cjs, which calls it for each line `-- Inline: statement`.
// Why it is so: core/docs/why/one-arithmetic.md
const { parse } = require('@babel/parser');
const { Known } = require('./known.cjs');
const {
  OPPOSITES,
  compared,
  computed,
  isAtom,
  isConstant,
  isNumber,
  literal,
  negated,
  numberIn,
  textOf,
} = require('./lua-text.cjs');
const {
  ARITHMETIC,
  COMPARISONS,
  CONDITION_RULE,
  OF_CONDITIONS,
  alwaysReturns,
  assignedIn,
  bare,
  hasReturn,
  isCallOfFunction,
  isCondition,
  outside,
  statementsOf,
  walk,
} = require('./syntax.cjs');

/** The methods of lists that can be written out. */
const CHANGES_LIST = new Set(['push', 'pop', 'splice']);

/** The values of an object by their fields: variables of Lua, constants, or undefined for what is never read. */
class Fields extends Map {}

/**
 * Where the names of a function are looked up while it is written out. The statements of the text of Lua have a frame, too: the top.
 *
 * @typedef {object} Frame
 * @property {string} file - of the function, for errors
 * @property {Map} functions - those that it can call, by their names
 * @property {Map<string, number>} constants - those of its file
 * @property {Map<string, string | Fields>} scope - the value of each parameter and variable
 * @property {Set<string>} written - the fields that the function assigns; '[]' if it changes a list
 * @property {true} [isTop] - for the top alone, whose other names are variables of the text of Lua
 */

/**
 * Who gets the value of an expression or of a function: there may be a statement `set` for each way on which the value is made. A caller
 * without a target gets the value as a result.
 *
 * @typedef {{ set(value: string | Fields): void }} Target
 */

/**
 * Translates statements of a text of Lua, one after the other, into lines of Lua. A value is a text of Lua, or the `Fields` of an object. A
 * function that is called is written out: its parameters stand for the arguments, its `if`s with a `return` become two ways to the
 * target, and conditions that are decided by constants leave nothing.
 */
class Inliner {
  #given;
  #leaves;
  /** The statement that is translated, as lines of Lua. */
  #lines = [];
  /** How many variables were made: each has its number. */
  #names = 0;
  /** Variables that are never assigned again. */
  #settled = new Set();
  /** The variables of the fields of a limit. */
  #limitNames = new Set();
  /** The fields of objects that change, by their variables. */
  #fieldOf = new Map();
  /** What each function assigns: see `#writtenBy`. */
  #written = new Map();
  /** What was computed in this block or around it, and may be used again: by its text. */
  #known = new Known();
  /** The frame of the text of Lua. */
  #top;

  constructor(file, functions, given, leaves) {
    this.#given = given;
    this.#leaves = leaves;
    this.#top = { file, functions, constants: new Map(), scope: new Map(), written: new Set(), isTop: true };
  }

  defineLimit(pairs) {
    for (const [, variable] of pairs) {
      this.#limitNames.add(variable);
      this.#settled.add(variable);
    }
    this.#top.scope.set('limit', new Fields(pairs));
  }

  defineState(pairs) {
    this.#top.scope.set('state', this.#changing(new Fields(pairs)));
  }

  /** Notes the Lua between two statements. */
  pass(lua) {
    this.#known.pass(lua.replace(/--.*$/gm, ''));
  }

  /** Returns the Lua of a statement. */
  lua(text) {
    this.#lines = [];
    const options = { sourceType: 'module', plugins: ['typescript'], allowReturnOutsideFunction: true };
    const [statement] = parse(text, options).program.body;
    const [declared] = statement.declarations ?? [];
    if (declared) this.#declare(declared);
    else this.#run([statement], this.#top);
    return this.#lines.join('\n');
  }

  /** `const free = …`: a variable of the text of Lua, under its own name. */
  #declare({ id: { name }, init }) {
    const value = this.#give(init, this.#top);
    this.#emit(`local ${name} = ${value}`);
    this.#known.forget(name);
    if (!isAtom(value)) this.#known.set(value, name);
  }

  #emit(line) {
    this.#lines.push(line);
  }

  #outside(frame, node, why) {
    return outside(frame.file, node, why);
  }

  #newName(hint) {
    this.#names += 1;
    return `${hint}_${this.#names}`;
  }

  /** A variable of its own that has this value, and keeps it. */
  #settle(value, hint) {
    const known = isAtom(value) ? undefined : this.#known.get(value);
    if (known) return known;
    const name = this.#newName(hint);
    this.#emit(`local ${name} = ${value}`);
    this.#settled.add(name);
    this.#known.set(value, name);
    return name;
  }

  /** The value as an atom, in a variable if it has to be computed. */
  #atom(value, hint) {
    return isAtom(value) ? value : this.#settle(value, hint);
  }

  /** Remembers the variables of an object whose fields are assigned. Those that a limit has, too, never change. */
  #changing(fields) {
    for (const [field, variable] of fields)
      if (variable && !this.#limitNames.has(variable)) this.#fieldOf.set(variable, field);
    return fields;
  }

  /** Runs statements. Their result goes to the target; without one, it is returned. */
  #run(statements, frame, target) {
    for (const [i, statement] of statements.entries()) {
      const rest = statements.slice(i + 1);
      if (statement.type === 'ReturnStatement') {
        return statement.argument ? this.#give(statement.argument, frame, target) : undefined;
      }
      if (statement.type !== 'IfStatement') {
        this.#statement(statement, frame);
        continue;
      }
      const test = this.#condition(statement.test, frame);
      const branches = [statement.consequent, statement.alternate].map((branch) => statementsOf(branch));
      if (isConstant(test)) return this.#run([...branches[test === 'true' ? 0 : 1], ...rest], frame, target);
      if (branches.some((branch) => branch.some(hasReturn))) {
        if (frame.isTop) return this.#leave(test, branches, frame);
        const [then, otherwise] = branches.map((branch) => (alwaysReturns(branch) ? branch : [...branch, ...rest]));
        return this.#choose(
          test,
          (own) => this.#run(then, within(frame), own),
          (own) => this.#run(otherwise, within(frame), own),
          target,
        );
      }
      this.#branch(test, ...branches.map((branch) => () => this.#run(branch, within(frame))));
    }
    return undefined;
  }

  /** Ends the function of Lua if a comparison holds. After that, it does not. */
  #leave(test, [then, otherwise], frame) {
    if (!alwaysReturns(then) || otherwise.length > 0) throw this.#outside(frame, then[0], 'a statement only returns');
    this.#emit(`if ${test} then return nil end`);
    const [, left, operator, right] = /^\((\w+) (\S+) (\w+)\)$/.exec(test) ?? [];
    if (left === undefined) return;
    this.#known.set(test, 'false');
    this.#known.set(`(${left} ${OPPOSITES[operator]} ${right})`, 'true');
  }

  /** Gives one of two values to the target; without one, to a variable of its own. */
  #choose(test, then, otherwise, target) {
    if (target) {
      this.#branch(
        test,
        () => then(target),
        () => otherwise(target),
      );
      return undefined;
    }
    const own = { line: this.#lines.length, value: undefined, set: undefined };
    own.set = (value) => {
      own.value ??= value instanceof Fields ? this.#namesFor(value) : this.#newName('value');
      this.#assign(own.value, value);
    };
    this.#emit('');
    this.#branch(
      test,
      () => then(own),
      () => otherwise(own),
    );
    if (own.value === undefined) return undefined;
    const names = own.value instanceof Fields ? [...own.value.values()] : [own.value];
    for (const name of names) this.#settled.add(name);
    this.#lines[own.line] = `local ${names.join(', ')}`;
    return own.value;
  }

  /** An `if` with two blocks, each of which may come out empty. */
  #branch(test, then, otherwise) {
    const start = this.#lines.length;
    this.#emit(`if ${test} then`);
    this.#known.within(then);
    const middle = this.#lines.length;
    this.#emit('else');
    this.#known.within(otherwise);
    const isEmpty = (from, to) => this.#lines.slice(from, to).every((line) => line === '');
    const [hasThen, hasElse] = [!isEmpty(start + 1, middle), !isEmpty(middle + 1)];
    if (!hasElse) this.#lines.length = middle;
    if (!hasThen && hasElse) this.#lines.splice(start, middle + 1 - start, `if ${negated(test)} then`);
    if (hasThen || hasElse) this.#emit('end');
    else this.#lines.length = start;
  }

  /** The value of an expression; undefined if it went to the target. */
  #give(node, frame, target) {
    const one = bare(node);
    if (one.type === 'ConditionalExpression') {
      const test = this.#condition(one.test, frame);
      const [then, otherwise] = [one.consequent, one.alternate].map(
        (branch) => (own) => this.#give(branch, frame, own),
      );
      if (isConstant(test)) return (test === 'true' ? then : otherwise)(target);
      return this.#choose(test, then, otherwise, target);
    }
    const value = isCallOfFunction(one) ? this.#call(one, frame, target) : this.#value(one, frame);
    if (target && value !== undefined) target.set(value);
    return target ? undefined : value;
  }

  /** Writes a function out where it is called. */
  #call(node, frame, target) {
    const { callee, arguments: args } = node;
    if (this.#given.has(callee.name)) return this.#given.get(callee.name);
    if (this.#leaves.has(callee.name)) {
      this.#emit('do return nil end');
      return undefined;
    }
    const translation = frame.functions.get(callee.name);
    if (!translation) throw this.#outside(frame, node, 'only functions of the arithmetic are called');
    // Refuses what is outside the subset.
    translation.text();
    const { params, body } = translation.node;
    const written = this.#writtenBy(translation);
    const assigned = assignedIn(body);
    const scope = new Map();
    for (const [i, { name }] of params.entries()) {
      scope.set(name, args[i] ? this.#argument(name, args[i], frame, assigned, written) : 'nil');
    }
    const { file, constants, functions } = translation;
    const run = (own) => this.#run(body.body, { file, constants, functions, scope, written }, own);
    if (written.size > 0) return run(target);
    const values = [...scope.values()].flatMap((value) => (value instanceof Fields ? [...value.values()] : [value]));
    const text = `${callee.name} of ${file}: ${values.join(', ')}`;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const value = run(target);
    // Nobody assigns a variable of the function any more.
    if (/_\d+$/.test(value) && !values.includes(value)) this.#settled.add(value);
    if (this.#settled.has(value)) this.#known.set(text, value, values);
    return value;
  }

  /** The result of a function within an expression, whose parts may be written in another order. */
  #pure(node, frame) {
    this.#checkPure(node, frame);
    return this.#call(node, frame);
  }

  #checkPure(node, frame) {
    const called = frame.functions.get(node.callee.name);
    if (called && !this.#given.has(node.callee.name) && this.#writtenBy(called).size > 0) {
      throw this.#outside(frame, node, 'a function that changes something stands alone');
    }
  }

  /** The value of a parameter: a variable of its own if the function assigns the parameter, or changes what the value is read from. */
  #argument(name, node, frame, assigned, written) {
    const value = this.#value(node, frame);
    if (value instanceof Fields) return value;
    if (assigned.has(name)) {
      const own = this.#newName(name);
      this.#emit(`local ${own} = ${value}`);
      return own;
    }
    return written.has(this.#fieldOf.get(value)) ? this.#settle(value, name) : this.#atom(value, name);
  }

  /** The fields that a function assigns, itself or through others; '[]' if it changes a list. */
  #writtenBy(translation) {
    let written = this.#written.get(translation);
    if (written) return written;
    written = new Set();
    this.#written.set(translation, written);
    walk(translation.node.body, ({ type, left, callee }) => {
      if (type === 'AssignmentExpression' && left.type === 'MemberExpression')
        written.add(left.computed ? '[]' : left.property.name);
      if (type === 'CallExpression' && CHANGES_LIST.has(callee.property?.name)) written.add('[]');
    });
    for (const called of translation.calls) {
      for (const field of this.#writtenBy(translation.functions.get(called))) written.add(field);
    }
    return written;
  }

  #statement(node, frame) {
    switch (node.type) {
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) this.#declaration(node.kind, id, init, frame);
        return;
      case 'ExpressionStatement':
        this.#effect(node.expression, frame);
        return;
      case 'WhileStatement': {
        const before = this.#lines.length;
        const test = this.#condition(node.test, frame);
        if (this.#lines.length !== before)
          throw this.#outside(frame, node.test, 'a loop whose condition needs statements');
        this.#loop(`while ${test} do`, node.body, within(frame));
        return;
      }
      case 'ForStatement': {
        const [{ id, init }] = node.init.declarations;
        const own = within(frame);
        const i = this.#newName(id.name);
        const bounds = `${this.#expression(init, frame)}, ${this.#expression(node.test.right, frame)} - 1`;
        own.scope.set(id.name, i);
        this.#loop(`for ${i} = ${bounds} do`, node.body, own);
        return;
      }
      default:
        throw this.#outside(frame, node);
    }
  }

  #loop(head, body, frame) {
    if (hasReturn(body))
      throw this.#outside(frame, body, 'a function that returns within a loop cannot stand in place of a call');
    this.#emit(head);
    // Also what is assigned later in a loop may have changed.
    this.#known.within(
      () => this.#known.keep(this.#settled),
      () => this.#run(statementsOf(body), frame),
    );
    this.#emit('end');
  }

  /** `const`, `let`, or `const { fields } =` in a function that is written out. */
  #declaration(kind, id, init, frame) {
    if (id.type === 'ObjectPattern') {
      const fields = this.#value(init, frame);
      for (const { key, value } of id.properties) {
        const variable = this.#field(fields, key.name, frame, key);
        const isChanging = frame.written.has(key.name) && this.#fieldOf.has(variable);
        frame.scope.set(value.name, isChanging ? this.#settle(variable, value.name) : variable);
      }
      return;
    }
    const value = this.#give(init, frame);
    if (value instanceof Fields) {
      frame.scope.set(id.name, bare(init).type === 'ObjectExpression' ? this.#object(value, frame) : value);
    } else if (kind === 'const') {
      frame.scope.set(id.name, isConstant(value) || this.#settled.has(value) ? value : this.#settle(value, id.name));
    } else {
      const own = this.#newName(id.name);
      this.#emit(`local ${own} = ${value}`);
      frame.scope.set(id.name, own);
    }
  }

  /** An object that a function makes. A constant needs no variable. */
  #object(values, frame) {
    const keeps = (field, value) => !frame.written.has(field) && (isConstant(value) || this.#limitNames.has(value));
    const own = this.#namesFor(new Fields([...values].filter(([field, value]) => !keeps(field, value))));
    if (own.size > 0) {
      this.#emit(
        `local ${[...own.values()].join(', ')} = ${[...own.keys()].map((field) => values.get(field)).join(', ')}`,
      );
    }
    return new Fields([...values].map(([field, value]) => [field, own.get(field) ?? value]));
  }

  /** New variables for the fields of an object. */
  #namesFor(fields) {
    return this.#changing(new Fields([...fields.keys()].map((field) => [field, this.#newName(field)])));
  }

  #effect(node, frame) {
    if (node.type === 'AssignmentExpression') this.#assignment(node, frame);
    else if (isCallOfFunction(node)) this.#call(node, frame, NOWHERE);
    else this.#method(node, frame);
  }

  #assignment({ operator, left, right }, frame) {
    const target = left.type === 'Identifier' ? this.#variable(left, frame) : this.#member(left, frame);
    // Nobody reads it.
    if (target === undefined) return;
    if (operator === '=') this.#give(right, frame, { set: (value) => this.#assign(target, value) });
    else this.#assign(target, this.#computed(operator[0], target, this.#expression(right, frame)));
  }

  #assign(target, value) {
    if (!(target instanceof Fields)) {
      if (this.#limitNames.has(target) && value !== target)
        throw new Error(`${this.#top.file}: ${target} of a limit is assigned ${value}`);
      if (value !== target) {
        this.#emit(`${target} = ${value}`);
        this.#known.forget(target);
      }
      return;
    }
    const changed = [...target].filter(([field, variable]) => variable && variable !== value.get(field));
    if (changed.length === 0) return;
    const broken = changed.find(([field, variable]) => this.#limitNames.has(variable) || !value.has(field));
    if (broken) throw new Error(`${this.#top.file}: the field ${broken[0]} cannot be assigned ${value.get(broken[0])}`);
    const values = changed.map(([field]) => value.get(field));
    this.#emit(`${changed.map(([, variable]) => variable).join(', ')} = ${values.join(', ')}`);
    for (const [, variable] of changed) this.#known.forget(variable);
  }

  /** The methods of lists, which stand alone as statements. */
  #method({ callee, arguments: args }, frame) {
    const list = this.#expression(callee.object, frame);
    const [first, second] = args.map((one) => this.#expression(one, frame));
    this.#known.forget(list);
    switch (callee.property.name) {
      case 'push':
        this.#emit(`${list}[#${list} + 1] = ${first}`);
        return;
      case 'pop':
        this.#emit(`${list}[#${list}] = nil`);
        return;
      case 'splice': {
        const i = this.#newName('i');
        const count = this.#atom(second, 'count');
        this.#emit(
          `for ${i} = ${this.#computed('+', first, '1')}, #${list} do ${list}[${i}] = ${list}[${i} + ${count}] end`,
        );
        return;
      }
      default:
        throw this.#outside(frame, callee);
    }
  }

  /** An object, what is computed, or whether something holds. */
  #value(node, frame) {
    const one = bare(node);
    if (one.type === 'ObjectExpression') {
      return new Fields(one.properties.map(({ key, value }) => [key.name, this.#expression(value, frame)]));
    }
    if (one.type === 'Identifier') return this.#variable(one, frame);
    if (isCallOfFunction(one)) return this.#call(one, frame);
    return isCondition(one) ? this.#condition(one, frame) : this.#expression(one, frame);
  }

  #variable({ name, ...node }, frame) {
    if (name === 'undefined') return 'nil';
    if (frame.scope.has(name)) return frame.scope.get(name);
    if (frame.constants.has(name)) return textOf(frame.constants.get(name));
    if (frame.isTop) return name;
    throw this.#outside(frame, { type: 'Identifier', ...node }, `${name} is not known`);
  }

  #field(fields, name, frame, node) {
    if (!fields.has(name)) throw this.#outside(frame, node, `${this.#top.file} has no variable for ${name}`);
    return fields.get(name);
  }

  #member(node, frame) {
    const { object, property, computed } = node;
    const of = this.#value(object, frame);
    if (of instanceof Fields) return this.#field(of, property.name, frame, node);
    if (!computed && property.name === 'length') return `#${of}`;
    if (!computed && frame.isTop) return `${of}.${property.name}`;
    if (!computed) throw this.#outside(frame, node);
    return `${of}[${this.#computed('+', this.#expression(property, frame), '1')}]`;
  }

  #expression(node, frame) {
    const one = bare(node);
    switch (one.type) {
      case 'NumericLiteral':
      case 'BooleanLiteral':
      case 'StringLiteral':
        return literal(one);
      case 'Identifier':
        return this.#variable(one, frame);
      case 'UnaryExpression':
        return one.operator === '!'
          ? this.#condition(one, frame)
          : this.#computed('-', '0', this.#expression(one.argument, frame));
      case 'BinaryExpression':
        if (!ARITHMETIC.has(one.operator)) return this.#condition(one, frame);
        return this.#computed(one.operator, this.#expression(one.left, frame), this.#expression(one.right, frame));
      case 'LogicalExpression':
        return this.#condition(one, frame);
      case 'MemberExpression': {
        const value = this.#member(one, frame);
        if (value === undefined) throw this.#outside(frame, one, `${one.property.name} is never read`);
        return value;
      }
      case 'CallExpression':
        return isCallOfFunction(one) ? this.#pure(one, frame) : this.#ofMath(one, frame);
      case 'ArrayExpression':
        return `{ ${one.elements.map((element) => this.#expression(element, frame)).join(', ')} }`;
      default:
        throw this.#outside(frame, one);
    }
  }

  /** A sum, difference, product or quotient, unless a variable has it. */
  #computed(operator, left, right) {
    const text = computed(operator, left, right);
    return this.#known.get(text) ?? text;
  }

  /** Without a call of a function of Lua: the remainder by 1 is what `floor` takes away, to the last bit. */
  #ofMath({ callee, arguments: args, ...node }, frame) {
    const name = callee.property?.name;
    const [first, ...others] = args.map((one) => this.#expression(one, frame));
    if (name === 'floor' || name === 'ceil') {
      if (isNumber(first)) return textOf(Math[name](numberIn(first)));
      const value = this.#atom(first, 'number');
      return this.#settle(name === 'floor' ? `${value} - ${value} % 1` : `${value} + -${value} % 1`, name);
    }
    if (name !== 'min' && name !== 'max') throw this.#outside(frame, { type: 'CallExpression', ...node });
    const rest = [...new Set(others)].filter((other) => other !== first).map((other) => this.#atom(other, 'other'));
    if (rest.length === 0) return first;
    const text = `${name}(${[first, ...rest].join(', ')})`;
    const known = this.#known.get(text);
    if (known) return known;
    const best = this.#newName(name);
    this.#emit(`local ${best} = ${first}`);
    for (const other of rest)
      this.#emit(`if ${other} ${name === 'min' ? '<' : '>'} ${best} then ${best} = ${other} end`);
    this.#settled.add(best);
    this.#known.set(text, best);
    return best;
  }

  #condition(node, frame) {
    const one = bare(node);
    switch (one.type) {
      case 'LogicalExpression':
        return this.#logical(one, frame);
      case 'UnaryExpression':
        if (one.operator === '!') return negated(this.#condition(one.argument, frame));
        break;
      case 'BinaryExpression':
        if (COMPARISONS[one.operator]) {
          const text = compared(one.operator, this.#expression(one.left, frame), this.#expression(one.right, frame));
          return this.#known.get(text) ?? text;
        }
        break;
      case 'BooleanLiteral':
        return String(one.value);
      case 'Identifier':
        if (OF_CONDITIONS.test(one.name)) return this.#variable(one, frame);
        break;
      case 'CallExpression':
        if (OF_CONDITIONS.test(one.callee.name)) return this.#expression(one, frame);
        break;
      default:
    }
    throw this.#outside(frame, one, CONDITION_RULE);
  }

  /** What is computed for the second condition is computed always: nothing of it may change anything. */
  #logical({ operator, left, right }, frame) {
    const [stops, goes] = operator === '&&' ? ['false', 'true'] : ['true', 'false'];
    const first = this.#condition(left, frame);
    if (first === stops) return stops;
    walk(right, (node) => {
      if (isCallOfFunction(node)) this.#checkPure(node, frame);
    });
    const second = this.#condition(right, frame);
    if (first === goes || second === stops) return second;
    if (second === goes) return first;
    return `(${first} ${operator === '&&' ? 'and' : 'or'} ${second})`;
  }
}

/** For what a function returns and nobody wants. */
const NOWHERE = { set() {} };

/** The same function, in a block of its own. */
const within = (frame) => ({ ...frame, scope: new Map(frame.scope) });

module.exports = { Inliner };
