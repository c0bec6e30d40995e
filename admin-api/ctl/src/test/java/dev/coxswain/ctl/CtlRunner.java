// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import dev.coxswain.ctl.internal.cli.StandardOutput;
import dev.coxswain.ctl.internal.print.Console;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs commands in this process, with typed answers, a clock that stands still and no waiting. */
public final class CtlRunner {

  static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
  public static final String TOKEN = "secret-of-this-test";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Map<String, String> environment = new HashMap<>();
  private final List<Duration> waits = new ArrayList<>();
  private String typed = "";
  private boolean interactive;
  private @Nullable String closed;
  private boolean timePasses;
  private boolean terminal;

  /** Sits in front of nothing: every command must find its own way. */
  public CtlRunner() {}

  /** Sits in front of a server. */
  public CtlRunner(FakeAdminApi server) {
    environment.put("COXSWAIN_SERVER", server.url());
    environment.put("COXSWAIN_TOKEN", TOKEN);
  }

  public CtlRunner with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Attaches a terminal with these lines as its input. */
  CtlRunner typing(String... lines) {
    interactive = true;
    typed = String.join("\n", lines) + "\n";
    return this;
  }

  /** Moves the clock by what a command waits for. */
  CtlRunner whoseTimePasses() {
    timePasses = true;
    return this;
  }

  /** Shows the output on a terminal. */
  CtlRunner onTerminal() {
    terminal = true;
    return this;
  }

  /** Lets nothing be printed, for this reason. */
  CtlRunner whoseOutputFails(String why) {
    closed = why;
    return this;
  }

  private static OutputStream failing(String why) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(why);
      }
    };
  }

  public int run(String... arguments) {
    return Ctl.run(List.of(arguments), console());
  }

  public Console console() {
    out.reset();
    err.reset();
    waits.clear();
    return new Console(
        new BufferedReader(new StringReader(typed)),
        new StandardOutput(closed == null ? out : failing(closed), terminal),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        interactive,
        environment,
        new Waited(),
        waits::add);
  }

  /** A clock that stands still, or moves by what was waited for. */
  private final class Waited extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return timePasses ? NOW.plus(waits.stream().reduce(Duration.ZERO, Duration::plus)) : NOW;
    }
  }

  public String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public String errors() {
    return err.toString(StandardCharsets.UTF_8);
  }

  public List<Duration> waits() {
    return waits;
  }
}
