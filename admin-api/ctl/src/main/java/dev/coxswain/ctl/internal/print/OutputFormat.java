// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.ctl.internal.template.GoTemplate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The format of {@code -o}, with its expressions parsed. */
public final class OutputFormat {

  public static final Flag NO_HEADERS = Flag.alone("--no-headers", "print no column titles");

  private static final String JSON_PATH = "jsonpath";
  private static final String GO_TEMPLATE = "go-template";
  private static final String COLUMNS = "custom-columns";
  private static final String FILE = "-file";

  /** The largest file with an expression, in bytes. */
  private static final int LARGEST_FILE = 64 * 1024;

  private static final List<String> PLAIN = List.of("json", "yaml", "name", "wide");
  private static final List<String> WITH_EXPRESSION =
      List.of(
          JSON_PATH, JSON_PATH + FILE, GO_TEMPLATE, GO_TEMPLATE + FILE, COLUMNS, COLUMNS + FILE);

  public static final Flag FLAG =
      Flag.of(
              "--output",
              "FORMAT",
              "json, yaml, name, wide, jsonpath=EXPR, go-template=TEMPLATE, custom-columns=TITLE:PATH,..., or"
                  + " each of the last three with -file=F")
          .withLetter('o')
          .withChoices(
              Stream.concat(PLAIN.stream(), WITH_EXPRESSION.stream().map(each -> each + "="))
                  .toList());

  private final String name;
  private final boolean headers;
  private final @Nullable DocumentTemplate template;
  private final @Nullable CustomColumns columns;
  private @Nullable Table table;

  private OutputFormat(
      String name,
      boolean headers,
      @Nullable DocumentTemplate template,
      @Nullable CustomColumns columns) {
    this.name = name;
    this.headers = headers;
    this.template = template;
    this.columns = columns;
  }

  /**
   * Returns the format in the arguments.
   *
   * @throws CommandException for an unknown one, or a wrong expression
   */
  public static OutputFormat of(Arguments arguments) {
    String text = arguments.value(FLAG, "");
    int equals = text.indexOf('=');
    String name = equals < 0 ? text : text.substring(0, equals);
    boolean headers = !arguments.on(NO_HEADERS);
    if (name.equals("template") || name.equals("templatefile")) {
      throw new CommandException(
          "flag --output: kubectl's older name of go-template; use -o go-template=TEMPLATE or -o"
              + " go-template-file=F");
    }
    if (!WITH_EXPRESSION.contains(name)) {
      if (!text.isEmpty() && !PLAIN.contains(text)) {
        throw new CommandException(
            "flag --output: unknown value \"%s\", %s"
                .formatted(
                    text,
                    Suggestions.of(
                        name, Stream.concat(PLAIN.stream(), WITH_EXPRESSION.stream()).toList())));
      }
      return new OutputFormat(text, headers, null, null);
    }
    if (equals < 0 || equals == text.length() - 1) {
      throw new CommandException(
          "flag --output: %s needs %s after ="
              .formatted(
                  name,
                  name.endsWith(FILE)
                      ? "a file"
                      : name.equals(JSON_PATH)
                          ? "an expression such as {.items[*].name}"
                          : name.equals(GO_TEMPLATE)
                              ? "a template such as {{range .items}}{{.name}} {{end}}"
                              : "columns such as NAME:.name,STATE:.state"));
    }
    String expression = text.substring(equals + 1);
    String where = "-o " + name;
    boolean inFile = name.endsWith(FILE);
    String content = inFile ? read(expression, where) : expression;
    if (name.startsWith(JSON_PATH)) {
      return new OutputFormat(JSON_PATH, headers, new PathTemplate(content, where)::print, null);
    }
    if (name.startsWith(GO_TEMPLATE)) {
      GoTemplate template = new GoTemplate(content, where);
      return new OutputFormat(
          GO_TEMPLATE,
          headers,
          (document, to) -> template.print(document.value(), Console::cleanLines, to),
          null);
    }
    return new OutputFormat(
        COLUMNS,
        headers,
        null,
        inFile ? CustomColumns.ofFile(content, where) : CustomColumns.of(content, where));
  }

  private static String read(String file, String where) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] content = in.readNBytes(LARGEST_FILE + 1);
      if (content.length > LARGEST_FILE) {
        throw new CommandException(
            "%s: %s has more than %s bytes".formatted(where, file, LARGEST_FILE));
      }
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (IOException | InvalidPathException e) {
      throw new CommandException(
          "%s: %s cannot be read: %s".formatted(where, file, CommandException.reason(e)), e);
    }
  }

  /** Returns the name; empty without the flag. */
  public String name() {
    return name;
  }

  public boolean is(String other) {
    return name.equals(other);
  }

  /** Returns whether it is text for people. */
  public boolean isText() {
    return name.isEmpty() || name.equals("wide");
  }

  /** Returns whether it shows columns that the server chooses, or names. */
  boolean isOfTables() {
    return isText() || name.equals("name");
  }

  boolean headers() {
    return headers;
  }

  /** Prints a document, or a part of it, piece by piece. */
  interface DocumentTemplate {
    void print(Json document, Consumer<String> to);
  }

  /** Returns the template, or null for other formats. */
  @Nullable DocumentTemplate template() {
    return template;
  }

  /** Returns the columns, or null for other formats. */
  @Nullable CustomColumns columns() {
    return columns;
  }

  /**
   * Returns one object.
   *
   * @param objectName the output of {@code -o name}
   * @param text the output without a format
   */
  public String shown(Json object, String objectName, String text) {
    return switch (name) {
      case "json" -> object.pretty() + "\n";
      case "yaml" -> Yaml.document(object);
      case "name" -> objectName + "\n";
      case JSON_PATH, GO_TEMPLATE -> {
        StringBuilder shown = new StringBuilder();
        requireNonNull(template).print(object, shown::append);
        yield shown.toString();
      }
      case COLUMNS -> {
        CustomColumns all = requireNonNull(columns);
        if (table == null) {
          table = new Table(all.headers(), headers);
        }
        table.row(all.cells(object));
        yield table.take();
      }
      default -> text;
    };
  }
}
