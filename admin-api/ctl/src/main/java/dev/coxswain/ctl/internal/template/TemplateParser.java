// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import dev.coxswain.ctl.internal.template.TemplateExpression.Pipeline;
import dev.coxswain.ctl.internal.template.TemplatePart.Action;
import dev.coxswain.ctl.internal.template.TemplatePart.Choice;
import dev.coxswain.ctl.internal.template.TemplatePart.Jump;
import dev.coxswain.ctl.internal.template.TemplatePart.Range;
import dev.coxswain.ctl.internal.template.TemplatePart.Text;
import dev.coxswain.ctl.internal.template.TemplateReader.Kind;
import dev.coxswain.ctl.internal.template.TemplateReader.Piece;
import java.util.ArrayList;
import java.util.List;

/** Parser of the parts of a template. */
final class TemplateParser {

  private static final List<String> LEFT_OUT = List.of("define", "template", "block");

  private final ExpressionParser expressions;
  private int depth;
  private int ranges;

  TemplateParser(List<Piece> pieces) {
    this.expressions = new ExpressionParser(pieces);
  }

  /** Parses a whole template. */
  List<TemplatePart> parts() {
    List<TemplatePart> parts = list();
    Piece end = expressions.next();
    if (!end.is(Kind.END)) {
      Piece word = expressions.next();
      throw new TemplateException(end.at(), "unexpected {{" + word.text() + "}}");
    }
    return parts;
  }

  /** Parses until an {@code end} or {@code else}, which is not taken, or the end of the text. */
  private List<TemplatePart> list() {
    List<TemplatePart> parts = new ArrayList<>();
    while (true) {
      Piece piece = expressions.peek();
      if (piece.is(Kind.END) || closesList()) {
        return parts;
      }
      expressions.next();
      parts.add(piece.is(Kind.TEXT) ? new Text(piece.text()) : action(piece));
    }
  }

  private boolean closesList() {
    return expressions.peek().is(Kind.OPEN)
        && (expressions.peek(1).is(Kind.WORD, "end") || expressions.peek(1).is(Kind.WORD, "else"));
  }

  private TemplatePart action(Piece open) {
    Piece word = expressions.peek();
    if (word.is(Kind.WORD)) {
      switch (word.text()) {
        case "if", "with" -> {
          return choice(open);
        }
        case "range" -> {
          return range(open);
        }
        case "break", "continue" -> {
          expressions.next();
          expressions.close();
          if (ranges == 0) {
            throw new TemplateException(word.at(), "{{" + word.text() + "}} outside of {{range}}");
          }
          return new Jump(word.text().equals("break"));
        }
        default -> {
          if (LEFT_OUT.contains(word.text())) {
            throw new TemplateException(
                word.at(), "templates in templates ({{" + word.text() + "}}) are not supported");
          }
        }
      }
    }
    Pipeline pipeline = expressions.pipeline("", false);
    expressions.close();
    return new Action(pipeline);
  }

  /** Parses an {@code if} or {@code with}, from its word to its end. */
  private Choice choice(Piece open) {
    deeper(open);
    Piece word = expressions.next();
    int variables = expressions.variables();
    Pipeline pipeline = expressions.pipeline(word.text(), false);
    expressions.close();
    List<TemplatePart> parts = list();
    List<TemplatePart> otherwise = List.of();
    if (elseFollows(open, word)) {
      if (expressions.peek().is(Kind.WORD, word.text())) {
        otherwise = List.of(choice(open)); // its end is that of all
        expressions.forget(variables);
        depth--;
        return new Choice(word.text().equals("with"), pipeline, parts, otherwise);
      }
      expressions.close();
      otherwise = list();
      end(open, word);
    }
    expressions.forget(variables);
    depth--;
    return new Choice(word.text().equals("with"), pipeline, parts, otherwise);
  }

  private Range range(Piece open) {
    deeper(open);
    Piece word = expressions.next();
    int variables = expressions.variables();
    Pipeline pipeline = expressions.pipeline("range", true);
    expressions.close();
    ranges++;
    List<TemplatePart> parts = list();
    ranges--;
    List<TemplatePart> otherwise = List.of();
    if (elseFollows(open, word)) {
      expressions.close();
      otherwise = list();
      end(open, word);
    }
    expressions.forget(variables);
    depth--;
    return new Range(pipeline, parts, otherwise);
  }

  /** Takes an {@code end} and its braces, or the first half of an {@code else}; returns whether it was the latter. */
  private boolean elseFollows(Piece open, Piece word) {
    if (expressions.peek().is(Kind.OPEN) && expressions.peek(1).is(Kind.WORD, "else")) {
      expressions.next();
      expressions.next();
      return true;
    }
    end(open, word);
    return false;
  }

  private void end(Piece open, Piece word) {
    Piece next = expressions.next();
    if (next.is(Kind.END)) {
      throw new TemplateException(open.at(), "this {{" + word.text() + "}} has no {{end}}");
    }
    Piece found = expressions.next();
    if (!found.is(Kind.WORD, "end")) {
      throw new TemplateException(next.at(), "expected {{end}}, found {{" + found.text() + "}}");
    }
    expressions.close();
  }

  private void deeper(Piece open) {
    if (++depth > GoTemplate.DEEPEST) {
      throw new TemplateException(
          open.at(), "more than " + GoTemplate.DEEPEST + " actions in each other");
    }
  }
}
