// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of docs/guides, for tests that follow it. */
public record GuidePage(String text) {

  public static GuidePage read(String name) throws IOException {
    Path page = Path.of("..", "..", "docs", "guides", name).toAbsolutePath().normalize();
    return new GuidePage(Files.readString(page));
  }

  /** Returns the contents of the blocks in a language. */
  public List<String> blocks(String language) {
    Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(text);
    List<String> all = new ArrayList<>();
    while (block.find()) {
      all.add(block.group(1));
    }
    assertThat(all).isNotEmpty();
    return all;
  }

  /** Returns the only block of a language that has a text. */
  public String block(String language, String part) {
    List<String> found = blocks(language).stream().filter(one -> one.contains(part)).toList();
    assertThat(found).as("%s blocks with %s", language, part).hasSize(1);
    return found.getFirst();
  }
}
