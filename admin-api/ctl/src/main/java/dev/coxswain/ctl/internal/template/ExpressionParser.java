// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.ctl.internal.template.TemplateExpression.Call;
import dev.coxswain.ctl.internal.template.TemplateExpression.Dot;
import dev.coxswain.ctl.internal.template.TemplateExpression.Field;
import dev.coxswain.ctl.internal.template.TemplateExpression.Literal;
import dev.coxswain.ctl.internal.template.TemplateExpression.NoCall;
import dev.coxswain.ctl.internal.template.TemplateExpression.Pipeline;
import dev.coxswain.ctl.internal.template.TemplateExpression.Variable;
import dev.coxswain.ctl.internal.template.TemplateReader.Kind;
import dev.coxswain.ctl.internal.template.TemplateReader.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parser of the expressions in actions, with the place in the pieces and the variables that are known there. */
final class ExpressionParser {

  private final List<Piece> pieces;
  private final List<String> variables = new ArrayList<>(List.of("")); // the document
  private int at;
  private int depth;

  ExpressionParser(List<Piece> pieces) {
    this.pieces = pieces;
  }

  Piece peek() {
    return peek(0);
  }

  Piece peek(int further) {
    return pieces.get(Math.min(at + further, pieces.size() - 1));
  }

  Piece next() {
    Piece next = peek();
    at++;
    return next;
  }

  /** Takes the end of an action. */
  void close() {
    Piece found = next();
    if (!found.is(Kind.CLOSE)) {
      throw unexpected(found);
    }
  }

  /** Returns how many variables are known. */
  int variables() {
    return variables.size();
  }

  /** Forgets variables that were declared since. */
  void forget(int since) {
    variables.subList(since, variables.size()).clear();
  }

  /**
   * Parses a pipeline, which may set variables.
   *
   * @param of the word before it, for messages
   * @param pair whether it may set two
   */
  Pipeline pipeline(String of, boolean pair) {
    int began = peek().at();
    List<String> names = new ArrayList<>();
    boolean declares = false;
    if (peek().is(Kind.VARIABLE)
        && (peek(1).is(Kind.MARK, ":=")
            || peek(1).is(Kind.MARK, "=")
            || peek(1).is(Kind.MARK, ","))) {
      Piece variable = next();
      names.add(variable.text());
      if (peek().is(Kind.MARK, ",")) {
        next();
        Piece second = next();
        if (!pair || !second.is(Kind.VARIABLE)) {
          throw new TemplateException(
              second.at(), pair ? "expected a variable" : "only {{range}} sets two variables");
        }
        names.add(second.text());
      }
      Piece mark = next();
      declares = mark.is(Kind.MARK, ":=");
      if (!declares && !mark.is(Kind.MARK, "=")) {
        throw mark.is(Kind.MARK, ",")
            ? new TemplateException(mark.at(), "{{range}} sets at most two variables")
            : unexpected(mark);
      }
      if (!declares) {
        names.forEach(name -> known(variable.at(), name));
      }
    }
    List<TemplateExpression> commands = new ArrayList<>();
    do {
      commands.add(command(of, commands.isEmpty() ? null : commands.getLast()));
    } while (skipsBar());
    if (declares) {
      variables.addAll(names);
    }
    return new Pipeline(began, List.copyOf(names), declares, List.copyOf(commands));
  }

  private boolean skipsBar() {
    if (peek().is(Kind.MARK, "|")) {
      at++;
      return true;
    }
    return false;
  }

  /** Parses a command: a value, or a function with its arguments. */
  private TemplateExpression command(String of, @Nullable TemplateExpression before) {
    Piece first = peek();
    if (ends(first)) {
      throw new TemplateException(
          first.at(),
          "expected a value" + (before != null ? " behind |" : of.isEmpty() ? "" : " for " + of));
    }
    TemplateExpression value = operand();
    List<TemplateExpression> arguments = new ArrayList<>();
    while (!ends(peek())) {
      if (!peek().apart()) {
        throw unexpected(peek());
      }
      arguments.add(operand());
    }
    if (value instanceof Call call && first.is(Kind.WORD)) {
      return new Call(call.at(), call.function(), List.copyOf(arguments));
    }
    if (value instanceof Literal literal && literal.value() == null) {
      throw new TemplateException(value.at(), "nil is not a command");
    }
    return arguments.isEmpty() && before == null ? value : new NoCall(value.at(), value);
  }

  private static boolean ends(Piece piece) {
    return piece.is(Kind.CLOSE)
        || piece.is(Kind.END)
        || piece.is(Kind.MARK, "|")
        || piece.is(Kind.MARK, ")");
  }

  private TemplateExpression operand() {
    Piece piece = next();
    TemplateExpression value =
        switch (piece.kind()) {
          case VALUE -> new Literal(piece.at(), piece.value());
          case DOT -> new Dot(piece.at());
          case FIELD -> new Field(piece.at(), new Dot(piece.at()), piece.text());
          case VARIABLE -> {
            known(piece.at(), piece.text());
            yield new Variable(piece.at(), piece.text());
          }
          case WORD -> word(piece);
          case MARK -> {
            if (!piece.text().equals("(")) {
              throw unexpected(piece);
            }
            yield parentheses(piece);
          }
          default -> throw unexpected(piece);
        };
    while (peek().is(Kind.FIELD) && !peek().apart()) {
      if (piece.is(Kind.VALUE) || piece.is(Kind.WORD) || piece.is(Kind.DOT)) {
        throw unexpected(peek());
      }
      Piece field = next();
      value = new Field(field.at(), value, field.text());
    }
    return value;
  }

  private TemplateExpression word(Piece piece) {
    Map<String, Boolean> constants = Map.of("true", true, "false", false);
    if (constants.containsKey(piece.text())) {
      return new Literal(piece.at(), constants.get(piece.text()));
    }
    if (piece.text().equals("nil")) {
      return new Literal(piece.at(), null);
    }
    TemplateFunction function = TemplateFunction.BY_NAME.get(piece.text());
    if (function == null) {
      throw new TemplateException(
          piece.at(),
          "there is no function \"%s\", %s"
              .formatted(
                  piece.text(),
                  Suggestions.of(piece.text(), List.copyOf(TemplateFunction.BY_NAME.keySet()))));
    }
    return new Call(piece.at(), function, List.of());
  }

  private Pipeline parentheses(Piece open) {
    if (++depth > GoTemplate.DEEPEST) {
      throw new TemplateException(
          open.at(), "more than " + GoTemplate.DEEPEST + " parentheses in each other");
    }
    Pipeline inner = pipeline("(", false);
    if (!peek().is(Kind.MARK, ")")) {
      throw new TemplateException(open.at(), "this ( has no )");
    }
    next();
    depth--;
    return inner;
  }

  private void known(int where, String name) {
    if (!variables.contains(name)) {
      throw new TemplateException(where, "there is no variable $" + name);
    }
  }

  private static TemplateException unexpected(Piece piece) {
    return new TemplateException(
        piece.at(), "unexpected " + (piece.is(Kind.FIELD) ? "." : "") + piece.text());
  }
}
