// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A template in the language of Go's text/template. Templates in templates ({@code define}, {@code
 * template}, {@code block}) are left out.
 *
 * <p>Thread rule: immutable.
 */
public final class GoTemplate {

  /** The longest template, in characters. */
  static final int LONGEST = 64 * 1024;

  /** How deep actions and parentheses may be in each other. */
  static final int DEEPEST = 100;

  private final String text;
  private final String where;
  private final List<TemplatePart> parts;

  /**
   * Parses a template.
   *
   * @param where the text is from, for messages
   * @throws CommandException with the position of what is wrong
   */
  public GoTemplate(String text, String where) {
    this.text = text;
    this.where = where;
    if (text.length() > LONGEST) {
      throw new CommandException(
          "%s: the template has %s characters, at most %s are allowed"
              .formatted(where, text.length(), LONGEST));
    }
    try {
      parts = new TemplateParser(new TemplateReader(text).pieces()).parts();
    } catch (TemplateException e) {
      throw failure(e);
    }
  }

  /**
   * Prints a document, piece by piece.
   *
   * @param document maps, lists, texts, numbers, booleans and null
   * @param clean is applied to what actions print, which may be from anywhere
   * @throws CommandException with the position of what cannot be done
   */
  public void print(@Nullable Object document, Cleaner clean, Consumer<String> to) {
    try {
      new TemplateRun(document, value -> to.accept(clean.of(value)), to).print(parts);
    } catch (TemplateException e) {
      throw failure(e);
    }
  }

  /** Returns a text without what may not be shown. */
  public interface Cleaner {
    String of(String text);
  }

  private CommandException failure(TemplateException e) {
    String before = text.substring(0, Math.min(e.at(), text.length()));
    int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
    int column = before.length() - before.lastIndexOf('\n');
    return new CommandException(
        "%s: line %s, column %s: %s".formatted(where, line, column, e.getMessage()), e);
  }
}
